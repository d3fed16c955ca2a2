import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings of a session bus of a test's own, with the folders of services that it may start; gives the file. */
export function writeBusConfig(folder: string, serviceFolders: readonly string[]): string {
  const file = join(folder, 'bus.conf');
  const services = serviceFolders.map((path) => `  <servicedir>${path}</servicedir>\n`).join('');
  writeFileSync(
    file,
    `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${folder}/bus</listen>
${services}  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
`,
  );
  return file;
}
