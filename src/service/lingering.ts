/** Whether this user's manager of systemd outlives the last logout, and what runs in it goes on. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { hasDisplay } from '../system/display.ts';
import type { Host } from './host.ts';
import type { SystemdLook } from './systemd-look.ts';

/** Where systemd keeps who has services without being logged in. */
const LINGER_FOLDER = '/var/lib/systemd/linger';

/** Whether this user's services run without a login. */
export async function lingers({ environment }: Host): Promise<boolean> {
  const name = environment.USER ?? environment.LOGNAME ?? '';
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*\$?$/.test(name)) return false;
  return await access(join(LINGER_FOLDER, name)).then(
    () => true,
    () => false,
  );
}

/**
 * Whether what services start ends where a person does not expect it: with the last logout, where one
 * comes and goes by ssh. Whoever leaves a desktop knows that its services end.
 */
export async function endsWithLogout(
  host: Host,
  { hasDesktop }: SystemdLook & { readonly kind: 'reachable' },
): Promise<boolean> {
  return !hasDesktop && !hasDisplay(host.environment) && !(await lingers(host));
}
