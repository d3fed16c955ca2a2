/**
 * Figures with the aim beside each. They depend on the machine, so that none of them decides a test:
 * the exit code is 0 whatever they are.
 */

import { measureAgentCost } from './agent-cost.mjs';
import { measureClickCost } from './click-cost.mjs';
import { measureFleetSpeed } from './fleet-speed.mjs';
import { measurePollingCost } from './polling-cost.mjs';
import { printTable } from './printing.mjs';
import { measurePtyCost } from './pty-cost.mjs';
import { measureReattach } from './reattach.mjs';
import { measureStartUp } from './start-up.mjs';
import { measureTrayCost } from './tray-cost.mjs';

for (const measure of [
  measureFleetSpeed,
  measurePollingCost,
  measureStartUp,
  measureAgentCost,
  measureTrayCost,
  measureClickCost,
  measurePtyCost,
  measureReattach,
]) {
  const { title, rows } = await measure();
  printTable(title, rows);
}
