/** Settings for panels that show nothing but icons, and for a bus that starts nothing else. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBusConfig } from './bus-config.ts';

/** Writes the settings of a bus that listens at `bus` in a folder; returns their file. */
export function writeBusSettings(folder: string): string {
  const services = join(folder, 'services');
  mkdirSync(services, { recursive: true });
  // Xfce's panel can't do without the program that keeps its settings.
  const keeper = readdirSync('/usr/lib')
    .map((name) => join('/usr/lib', name, 'xfce4/xfconf/xfconfd'))
    .find((path) => existsSync(path));
  writeFileSync(
    join(services, 'org.xfce.Xfconf.service'),
    `[D-BUS Service]\nName=org.xfce.Xfconf\nExec=${keeper}\n`,
  );
  return writeBusConfig(folder, [services]);
}

export function writePanelSettings(folder: string): void {
  const xfce = join(folder, 'xfce4/xfconf/xfce-perchannel-xml');
  const lxqt = join(folder, 'lxqt');
  for (const path of [xfce, lxqt]) mkdirSync(path, { recursive: true });
  writeFileSync(
    join(xfce, 'xfce4-panel.xml'),
    `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array">
        <value type="int" value="1"/>
        <value type="int" value="2"/>
      </property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="separator">
      <property name="expand" type="bool" value="true"/>
    </property>
    <property name="plugin-2" type="string" value="systray"/>
  </property>
</channel>
`,
  );
  writeFileSync(
    join(lxqt, 'panel.conf'),
    `[General]
__userfile__=true
panels=panel1

[panel1]
panelSize=32
iconSize=22
position=Top
alignment=-1
width=100
width-percent=true
animation-duration=0
plugins=statusnotifier

[statusnotifier]
type=statusnotifier
`,
  );
}
