/**
 * What a correct agent must make of the captures, worked out without a line of its code. Writes
 * `expected/`: `looks-VERSION.json` for single documents, `replay-….json` for each recorded series.
 * Re-run: `node test/golden/expect.mjs [FOLDER]`; a changed file there needs a reason.
 *
 * Looks. A session is an entry with `daemon: true`. No document, or docker away: blind. In a first
 * look a session without a client count is starting when its container is younger than 10 min, else
 * ending: only 90 s without an answer make a zombie, and a first look has waited for none of them.
 * "now" is the newest stamp in the document plus a second. Health: a ready session whose lock is free
 * or held by the dead has lost its supervisor; a workspace that does not exist is missing.
 *
 * Replays. The first sighted look is the baseline; blind looks change nothing.
 * - listed, integer: running or detached. Under a new life (id, started_at, updated_at) it is a
 *   restart, for an update if a non-null updated_at differs from the one before.
 * - listed, null: ending under the life we knew, starting under another one.
 * - a session that was never seen ready has no life to lose: until it is ready, under whatever life,
 *   it is being started, which is neither a vanishing nor a restart.
 * - absent: missing from the first such look; at the second it is quit (shown as ended) if it had
 *   been null for 15 s before and nothing speaks for an update, else it is awaited.
 * - awaited for 90 s: an alarm (overdue) with evidence of an update, ended without; 15 min: down.
 * - evidence, kept until the session is back: an update process alive at the first absent look; a
 *   start in progress (absent while the lock is held by another live pid than the one that held it
 *   while listed, or held again after it was free); listed under a new non-null updated_at.
 * - clock: between a look and the sighted look after it, end to end. The cap of three times (1 s +
 *   the look's duration) binds nowhere in these series (checked below), so it isn't applied.
 * No capture lasts 90 s, so `held` says what follows if the last look repeats each second, with no
 * update process alive, for 100 s and for 1000 s.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const captures = join(import.meta.dirname, '../captures');
const target = process.argv[2] ?? join(import.meta.dirname, 'expected');

/**
 * When an update process was alive, in seconds of the series, from each timeline.txt. Where that
 * only says when it returned, the start is this minus the seconds in the run's own log.
 */
const updateAliveByScenario = {
  'group-kill': [[0.06, 13.03]],
  'kill-mid-restart': [[0.08, 3.64]],
  'kill-mid-start': [[0.06, 6.14]],
  reboot: [
    [6.2, 8.7],
    [8.8, 14.7],
  ],
  'run-fails': [[0.04, 646.82]],
  'start-refused': [[0.1, 6.38]],
  'stop-timeout': [[0.07, 17.46]],
  'supervisor-gone': [[4.95, 10.56]],
};

const files = readdirSync(captures, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(captures.length + 1))
  .sort();
const read = (file) => readFileSync(join(captures, file), 'utf8');

// --- single documents ---

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function lockOf(sandbox) {
  if (sandbox.lock_held === false) return { kind: 'free', pid: null, alive: null };
  const readable =
    /^\d+$/.test(sandbox.lock_holder_pid ?? '') && typeof sandbox.lock_holder_alive === 'boolean';
  if (!readable) return { kind: 'unknown', pid: null, alive: null };
  return { kind: 'held', pid: Number(sandbox.lock_holder_pid), alive: sandbox.lock_holder_alive };
}

/** `2026-11-29 15:12:33 +0000 UTC`, or ISO; null where it is neither. */
function instantOf(text) {
  const docker = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d) /.exec(text);
  const iso = docker ? `${docker[1]}T${docker[2]}${docker[3]}:${docker[4]}` : text;
  const instant = /^\d{4}-\d\d-\d\dT/.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(instant) ? null : instant;
}

function newestStampIn(value) {
  if (typeof value === 'string') return instantOf(value) ?? 0;
  if (typeof value !== 'object' || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(newestStampIn));
}

const daemonsIn = (doc) => (doc.running_containers ?? []).filter((entry) => entry.daemon === true);

function firstState(entry, now) {
  const clients = entry.attached_clients;
  if (clients !== null) return clients >= 1 ? 'running' : 'detached';
  return now - instantOf(entry.started_at) < 10 * 60_000 ? 'starting' : 'ending';
}

function firstHealth(entry, sandbox) {
  const health = [];
  const lock = sandbox ? lockOf(sandbox) : { kind: 'unknown' };
  const orphaned = lock.kind === 'free' || (lock.kind === 'held' && !lock.alive);
  if (entry.attached_clients !== null && orphaned) health.push('supervisor-lost');
  if (sandbox?.workspace_exists === false) health.push('workspace-missing');
  return health;
}

function expectLook(file) {
  const doc = parse(read(file));
  const mode = /full/.test(basename(file)) ? 'full' : 'light';
  if (doc === null) {
    return { readable: false, sight: 'blind', mode, sandboxes: null, sessions: [], counts: null };
  }
  const sighted = doc.docker_reachable === true && Array.isArray(doc.running_containers);
  const now = newestStampIn(doc) + 1000;
  const sandboxes = doc.sandboxes.map((sandbox) => ({
    key: sandbox.name,
    workspace: sandbox.workspace_path || null,
    workspaceExists: sandbox.workspace_exists ?? null,
    lock: lockOf(sandbox),
  }));
  const sessions = (sighted ? daemonsIn(doc) : []).map((entry) => ({
    key: entry.sandbox,
    id: entry.id,
    startedAt: entry.started_at,
    startedAtUtc: new Date(instantOf(entry.started_at)).toISOString(),
    updatedAt: entry.updated_at ?? null,
    attachedClients: entry.attached_clients,
    imageStale: mode === 'full' ? (entry.image_stale ?? null) : null,
    first: {
      state: firstState(entry, now),
      health: firstHealth(
        entry,
        doc.sandboxes.find((sandbox) => sandbox.name === entry.sandbox),
      ),
    },
  }));
  const stale = sessions.filter((session) => session.imageStale === true).length;
  const counts = sighted ? { sessions: sessions.length, stale } : null;
  return {
    readable: true,
    sight: sighted ? 'sighted' : 'blind',
    mode,
    schemaVersion: doc.schema_version,
    sandyHome: sighted ? doc.sandy_home : null,
    now,
    sandboxes,
    sessions,
    counts,
  };
}

// --- series ---

function looksFromJsonLines(file) {
  return read(file)
    .trim()
    .split('\n')
    .map((text) => {
      const line = parse(text) ?? {};
      const doc = line.rc === 0 ? line.doc : null;
      const sighted = doc?.docker_reachable === true && Array.isArray(doc.running_containers);
      const now = newestStampIn(doc) + 1000;
      const sessions = sighted
        ? daemonsIn(doc).map((entry) => ({
            key: entry.sandbox,
            life: [entry.id, entry.started_at, entry.updated_at].join('|'),
            updatedAt: entry.updated_at ?? null,
            clients: entry.attached_clients,
            firstState: firstState(entry, now),
          }))
        : [];
      const locks = new Map(doc?.sandboxes.map((sandbox) => [sandbox.name, lockOf(sandbox)]));
      return { t: line.t, end: line.t + line.took, took: line.took, sighted, sessions, locks };
    });
}

/** The short form holds changes only, six digits of an id, and no pid of a lock's holder. */
function looksFromChanges(file) {
  const siblings = files.filter((other) => dirname(other) === dirname(file)).map(read);
  const keyOf = (short) => {
    const pattern = new RegExp(`\\b${short}-[0-9a-f]{8}\\b`, 'g');
    const keys = new Set(siblings.flatMap((text) => text.match(pattern) ?? []));
    return keys.size === 1 ? [...keys][0] : short;
  };
  return read(file)
    .trim()
    .split('\n')
    .map((line) => {
      const [, t, docker, rest] = /^\s*([\d.]+)\s+docker=(True|False)\s(.*)$/.exec(line);
      const sessions = [];
      const locks = new Map();
      for (const [, short, held, alive, what] of rest.matchAll(
        /(\S+)\[lock=(free|held)\/(-|alive|dead) (.*?)\]/g,
      )) {
        const key = keyOf(short);
        const kind = held === 'free' ? 'free' : alive === '-' ? 'unknown' : 'held';
        locks.set(key, { kind, pid: null, alive: alive === '-' ? null : alive === 'alive' });
        const listed = /^(\w{6}) att=(\w+) upd=(\S+)/.exec(what);
        if (listed === null) continue;
        const updatedAt = listed[3] === 'null' ? null : listed[3];
        const clients = listed[2] === 'None' ? null : Number(listed[2]);
        sessions.push({ key, life: `${listed[1]}|${updatedAt}`, updatedAt, clients });
      }
      return { t: Number(t), end: Number(t), sighted: docker === 'True', sessions, locks };
    });
}

function replay(isUpdateAliveAt) {
  const rows = new Map();
  const told = { restarts: [], started: [], vanishings: [], alarms: {} };
  let awake = 0;
  let lastEnd = null;
  let hadBaseline = false;

  function addEvidence(row, kind) {
    if (!row.vanishing.evidence.includes(kind)) row.vanishing.evidence.push(kind);
  }

  function openVanishing(row, t) {
    row.since ??= awake;
    if (row.vanishing) return;
    row.vanishing = { key: row.key, t, evidence: [], end: 'open' };
    if (!row.newborn) told.vanishings.push(row.vanishing);
  }

  function closeVanishing(row, end) {
    if (row.vanishing) row.vanishing.end = end;
    Object.assign(row, { vanishing: null, since: null, lockWasFree: false, alarmed: false });
  }

  function weighLock(row, lockNow) {
    const otherHolder =
      lockNow?.pid != null && row.holder !== undefined && lockNow.pid !== row.holder;
    const heldAlive = lockNow?.kind === 'held' && lockNow.alive;
    if (heldAlive && (row.lockWasFree || otherHolder)) addEvidence(row, 'start-in-progress');
    if (lockNow?.kind === 'free') row.lockWasFree = true;
  }

  function listed(row, session, lockNow, t) {
    const newLife = session.life !== row.life;
    const updated = session.updatedAt !== null && session.updatedAt !== row.updatedAt;
    // A pid that can't be read (the short form) must not look like "nobody".
    if (lockNow?.kind === 'free') row.holder = null;
    else if (lockNow?.pid != null) row.holder = lockNow.pid;
    else row.holder = undefined;

    if (session.clients !== null) {
      if (row.newborn) told.started.push(row.key);
      else if (newLife) told.restarts.push({ key: row.key, t, for: updated ? 'update' : 'other' });
      closeVanishing(row, newLife ? 'restarted' : 'resumed');
      row.phase = 'up';
      row.newborn = false;
      row.life = session.life;
      row.updatedAt = session.updatedAt;
      row.nullSince = null;
      row.shown = session.clients >= 1 ? 'running' : 'detached';
    } else if (newLife) {
      if (row.phase === 'off') throw new Error(`${row.key} starts again: no rule here`);
      openVanishing(row, t);
      row.phase = 'away';
      if (updated) addEvidence(row, 'new-updated-at');
      row.shown = 'starting';
    } else {
      if (row.phase !== 'up') throw new Error(`${row.key} is back without an answer: no rule here`);
      closeVanishing(row, 'resumed');
      row.nullSince ??= awake;
      if (!row.newborn && row.shown !== 'starting') row.shown = 'ending';
    }
  }

  function absent(row, lockNow, t) {
    if (row.phase === 'off') return;
    const first = row.phase === 'up' && row.vanishing === null;
    openVanishing(row, t);
    if (first && isUpdateAliveAt(t)) addEvidence(row, 'update-alive');
    weighLock(row, lockNow);
    const wasNull = row.nullSince !== null && row.since - row.nullSince >= 15;
    if (row.phase === 'up' && !first) {
      row.phase = 'away';
      if (wasNull && row.vanishing.evidence.length === 0) {
        row.phase = 'off';
        row.shown = 'ended';
        closeVanishing(row, 'quit');
        return;
      }
    }
    row.shown = row.alarmed ? 'overdue' : 'missing';
  }

  function judge(row) {
    if (row.phase !== 'away') return;
    const spent = awake - row.since;
    const evident = row.vanishing.evidence.length > 0;
    if (spent >= 90 && row.shown === 'starting')
      throw new Error(`${row.key} starts for 90 s: no rule here`);
    if (spent >= 90 && !evident) {
      row.phase = 'off';
      row.shown = 'ended';
      closeVanishing(row, 'ended');
    } else if (spent >= 900) {
      row.phase = 'off';
      row.shown = 'down';
      closeVanishing(row, 'down');
    } else if (spent >= 90 && !row.alarmed) {
      row.alarmed = true;
      row.shown = 'overdue';
      told.alarms[row.key] = (told.alarms[row.key] ?? 0) + 1;
    }
  }

  function step(look) {
    if (look.sighted) {
      if (lastEnd !== null) awake += look.end - lastEnd;
      for (const session of look.sessions) {
        if (rows.has(session.key)) continue;
        const newborn =
          hadBaseline || (session.clients === null && session.firstState === 'starting');
        const shown = session.clients === null ? (newborn ? 'starting' : session.firstState) : null;
        rows.set(session.key, {
          key: session.key,
          phase: 'up',
          life: session.life,
          updatedAt: session.updatedAt,
          newborn,
          shown,
          nullSince: null,
          since: null,
          vanishing: null,
          lockWasFree: false,
          alarmed: false,
        });
      }
      hadBaseline = true;
      for (const row of rows.values()) {
        const session = look.sessions.find((entry) => entry.key === row.key);
        if (session) listed(row, session, look.locks.get(row.key), look.t);
        else absent(row, look.locks.get(row.key), look.t);
        judge(row);
      }
    }
    lastEnd = look.end;
    const states = [...rows.values()].map((row) => [row.key, row.shown]);
    return Object.fromEntries(states.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  return { step, told };
}

function expectReplay(file) {
  const changes = file.endsWith('.txt');
  const looks = changes ? looksFromChanges(file) : looksFromJsonLines(file);
  const scenario = /scenarios\/([^/]+)\//.exec(file)?.[1];
  const spans = scenario ? (updateAliveByScenario[scenario] ?? []) : [[0, null]];
  const ends = new Map(looks.map((look) => [look.t, look.end]));
  // The question is asked when the look has come back, not when it was sent.
  const isAlive = (t) =>
    spans.some(([from, to]) => ends.get(t) >= from && (to === null || ends.get(t) <= to));

  looks.forEach((look, index) => {
    const gap = index === 0 ? 0 : look.end - looks[index - 1].end;
    if (!changes && gap > 3 * (1 + look.took))
      throw new Error(`${file}: the cap binds at ${look.t}`);
  });

  const machine = replay(isAlive);
  const rows = looks.map((look) => ({
    t: look.t,
    sight: look.sighted ? 'sighted' : 'blind',
    states: machine.step(look),
  }));
  const restarted = (why) =>
    [
      ...new Set(machine.told.restarts.filter((one) => one.for === why).map((one) => one.key)),
    ].sort();
  const last = rows.at(-1).states;
  const summary = structuredClone({
    restarts: machine.told.restarts,
    restartedForUpdate: restarted('update'),
    restartedOtherwise: restarted('other'),
    started: machine.told.started,
    missingAtEnd: Object.keys(last).filter((key) => last[key] === 'missing'),
    alarms: machine.told.alarms,
    vanishings: machine.told.vanishings,
  });

  const held = {};
  for (let second = 1; second <= 1000; second += 1) {
    const end = looks.at(-1).end + second;
    const states = machine.step({ ...looks.at(-1), t: end, end });
    if (second === 100 || second === 1000) held[`after${second}s`] = states;
  }
  held.alarms = machine.told.alarms;
  return {
    file,
    form: changes ? 'changes' : 'looks',
    updateAlive: spans,
    ...summary,
    held,
    looks: rows,
  };
}

// --- writing ---

/** JSON with one line for whatever fits on it: a list of looks reads as a table. */
function format(value, indent = '') {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return flat;
  if (flat.length < 80 || (indent.length >= 4 && flat.length < 400)) return flat;
  const deeper = `${indent}  `;
  const inner = Array.isArray(value)
    ? value.map((item) => deeper + format(item, deeper))
    : Object.entries(value).map(
        ([key, item]) => `${deeper}${JSON.stringify(key)}: ${format(item, deeper)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${inner.join(',\n')}\n${indent}${close}`;
}

function write(name, value) {
  writeFileSync(join(target, `${name}.json`), `${format(value)}\n`);
}

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

const documents = files.filter((file) =>
  /^(print-state-|env-i|state-full-|before-kill|after).*\.json$/.test(basename(file)),
);
for (const version of new Set(documents.map((file) => file.split('/')[0]))) {
  const ours = documents.filter((file) => file.startsWith(`${version}/`));
  write(`looks-${version}`, Object.fromEntries(ours.map((file) => [file, expectLook(file)])));
}

const series = files.filter(
  (file) =>
    file.endsWith('states.jsonl') ||
    (file.endsWith('states.jsonl.txt') && !files.includes(file.replace(/\.txt$/, ''))),
);
for (const file of series) {
  const name = file.replace(/\/?\.?states\.jsonl(\.txt)?$/, '').replaceAll('/', '-');
  write(`replay-${name}`, expectReplay(file));
}
