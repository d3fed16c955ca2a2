import { claimAgent } from '../../src/control/agent-lock.ts';

/** Has the lock of a lasting agent of this version held by this process; gives how to let it go. */
export async function holdAgentLock(
  stateFolder: string,
  version: string,
): Promise<() => Promise<unknown>> {
  const claim = await claimAgent(stateFolder, { version, passing: false });
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return () => claim.release();
}
