/** Settings of notification servers for tests: nothing moves or fades, and a left click on a banner is a click. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes them where programs on a desktop look for theirs. */
export function writeServerSettings(folder: string): void {
  const xfce = join(folder, 'xfce4/xfconf/xfce-perchannel-xml');
  for (const path of [xfce, join(folder, 'dunst')]) mkdirSync(path, { recursive: true });
  writeFileSync(
    join(folder, 'dunst/dunstrc'),
    `[global]
width = 380
height = 300
origin = top-right
offset = 20x20
font = DejaVu Sans 11
markup = full
format = "<b>%s</b>\\n%b"
# Stock settings have this on the middle button.
mouse_left_click = do_action, close_current
mouse_right_click = close_current
frame_width = 1
max_icon_size = 44
idle_threshold = 0
`,
  );
  writeFileSync(
    join(xfce, 'xfce4-notifyd.xml'),
    `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-notifyd" version="1.0">
  <property name="do-fadeout" type="bool" value="false"/>
  <property name="do-slideout" type="bool" value="false"/>
  <property name="initial-opacity" type="double" value="1.0"/>
  <property name="notify-location" type="uint" value="2"/>
  <property name="expire-timeout" type="int" value="10"/>
</channel>
`,
  );
}
