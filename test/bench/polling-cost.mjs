import { loadPureParts } from './pure-parts.mjs';
import { makeStateTexts } from './state-texts.mjs';

/** What print-state took by the number of sessions, each with a proxy: 1.7.0 on two cores, in ms. */
const MEASURED = new Map([
  [1, { light: 170, full: 430 }],
  [5, { light: 500, full: 1_200 }],
  [25, { light: 1_900, full: 4_500 }],
  [100, { light: 7_400, full: 17_000 }],
]);

const HOUR = 3_600_000;
const HOURS = 24;
/** The floor of 200 times the last poll's own duration. */
const MOST_SHARE = 1 / 200;

/** Calls of sandy when nothing happens, on a clock that is turned by hand. */
export async function measurePollingCost() {
  const parts = await loadPureParts();
  const textOf = await makeStateTexts('1.7.0');
  const rows = [];
  for (const [size, tookMs] of MEASURED) {
    const { sandyHome, sandboxes, sessions } = parts.readStateDocument(
      parts.parseJsonDocument(textOf(size)),
    );
    const sighted = (mode) => ({ kind: 'sighted', mode, sandyHome, sandboxes, sessions });
    rows.push(rowOf(`idle, ${size} sessions`, play(parts, tookMs, sighted)));
  }
  for (const [size, tookMs] of MEASURED) {
    const reason = 'docker-unreachable';
    const blind = () => ({ kind: 'blind', reason, text: '', sandboxes: null });
    rows.push(rowOf(`docker away, ${size} sessions`, play(parts, tookMs, blind)));
  }
  return { title: 'Polling: calls of sandy an hour, and the share of one core', rows };
}

function play(parts, tookMs, observe) {
  const start = Date.UTC(2026, 0, 1);
  let model = parts.startModel();
  let at = start;
  let calls = 0;
  let busyMs = 0;
  for (let id = 1; ; id += 1) {
    const { delayMs, mode } = parts.nextPoll(model);
    at += delayMs + tookMs[mode];
    if (at - start > (HOURS + 1) * HOUR) break;
    const polled = { kind: 'polled', at, id, monoMs: at - start, tookMs: tookMs[mode], mode };
    [model] = parts.update(model, { ...polled, observation: observe(mode) });
    // The first hour has the start in it, and the growing delays of a new blindness.
    if (at - start <= HOUR) continue;
    calls += 1;
    busyMs += tookMs[mode];
  }
  return { callsAnHour: calls / HOURS, share: busyMs / (HOURS * HOUR) };
}

function rowOf(what, { callsAnHour, share }) {
  const percent = (part) => `${(part * 100).toFixed(2)} %`;
  return {
    what,
    figure: `${callsAnHour.toFixed(2)} an hour, ${percent(share)}`,
    aim: `at most ${percent(MOST_SHARE)}`,
    met: share <= MOST_SHARE,
  };
}
