import { describe, expect, it } from 'vitest';
import { parseUpdateLine, type UpdateLine } from '../../src/sandy/update-line.ts';

describe('a line', () => {
  const k = 'my.app_1-0a1b2c3d';
  const long = `${'n'.repeat(60)}-0a1b2c3d`;
  const other: UpdateLine = { kind: 'other' };
  const plan = (
    action: 'restart' | 'skip',
    reason: string,
    workspace = '/ws/my app',
    key = k,
  ): UpdateLine => ({ kind: 'planned', key, workspace, action, reason });

  it.each<[string, UpdateLine]>([
    ['[sandy] Found 12 daemon session(s) (scoped to /ws/a (b).).', { kind: 'found', count: 12 }],
    ['[sandy] No daemon sessions found on this host.', { kind: 'none' }],
    ['[sandy] No daemon session for /ws/x.y.', { kind: 'none' }],
    [
      `[sandy] Refreshing images for ${k} (/ws/a (1))...`,
      { kind: 'refreshing', key: k, workspace: '/ws/a (1)' },
    ],
    [
      `[sandy]   ...still refreshing ${k} (140s: #7 RUN (echo))`,
      { kind: 'heartbeat', key: k, seconds: 140, phase: '#7 RUN (echo)' },
    ],
    [
      `[sandy]   ...still refreshing ${k} (20s: )`,
      { kind: 'heartbeat', key: k, seconds: 20, phase: '' },
    ],
    [
      `[sandy]   ...still refreshing ${k} (20s)`,
      { kind: 'heartbeat', key: k, seconds: 20, phase: '' },
    ],
    // Cut by a line break in the phase.
    [
      `[sandy]   ...still refreshing ${k} (20s: RUN printf "a`,
      { kind: 'heartbeat', key: k, seconds: 20, phase: 'RUN printf "a' },
    ],
    [
      `[sandy]   ...still refreshing ${k} (20s: 1%\r[sandy] Restarting x...)`,
      { kind: 'heartbeat', key: k, seconds: 20, phase: '1%↵[sandy] Restarting x...' },
    ],
    [`[sandy]   --start failed for ${k}`, { kind: 'step-failed', key: k, step: 'start' }],
    [`[sandy]   Build failed for ${k} — tail of output:`, { kind: 'build-failed', key: k }],
    ['[sandy] Restarting 0123456789ab...', { kind: 'restarting', key: '0123456789ab' }],
    ['12%\r50%\r[sandy] Restarting x...', { kind: 'restarting', key: 'x' }],
    ['\x1b]0;title\x07\x1b[1;32m[sandy]\x1b[0m Restarting x...', { kind: 'restarting', key: 'x' }],
    ['Restarted: 3', { kind: 'summary', restarted: 3, skipped: null, failed: null }],
    ['Skipped: 2', { kind: 'summary', restarted: null, skipped: 2, failed: null }],
    ['Failed: 1', { kind: 'summary', restarted: null, skipped: null, failed: 1 }],
    ['--- Summary ---', { kind: 'summary', restarted: null, skipped: null, failed: null }],
    [
      '[sandy] --dry-run: no sessions restarted (2 restart candidate(s)).',
      { kind: 'dry-run', candidates: 2 },
    ],
    [
      `${k}            /ws/my app         true     -          restart (stale)`,
      plan('restart', 'stale'),
    ],
    [`${k} /ws/my app false    7          restart (proxy stale)`, plan('restart', 'proxy stale')],
    [
      `${k} /ws/my app null     -          skip (staleness unknown)`,
      plan('skip', 'staleness unknown'),
    ],
    [
      `${k} /ws/my app true     -          skip (active (idle probe failed))`,
      plan('skip', 'active (idle probe failed)'),
    ],
    [`${long} /ws/my app true     - restart (stale)`, plan('restart', 'stale', '/ws/my app', long)],
    [
      `${k} /ws true - restart (stale) false    -          skip (current)`,
      plan('skip', 'current', '/ws true - restart (stale)'),
    ],
    [`${k}${' '.repeat(50)} true     -          restart (stale)`, plan('restart', 'stale', '')],
    [`${k} /ws/a\rb true     -          restart (stale)`, plan('restart', 'stale', '/ws/a↵b')],
    ['', other],
    ['SESSION    WORKSPACE    STALE    IDLE(m)    ACTION', other],
    ['[sandy] Update available: 1.7.0 → 1.8.0.', other],
    ['[sandy] Restarting half-a-ke', other],
    ['[sandy] Restart 2 session(s)? [y/N] ', other],
    ['[sandy]   [sandy] Restarting x...', other],
    ['  [sandy] Restarting x...', other],
    [' true     -          restart (stale)', other],
    ['[sandy] x /ws true     -          restart (stale)', other],
    ['  x (5s)', other],
    [
      'x\u0000y /ws true     -          restart (stale)',
      plan('restart', 'stale', '/ws', 'x\ufffdy'),
    ],
  ])('%j is understood', (raw, expected) => {
    expect(parseUpdateLine(raw)).toEqual(expected);
  });

  it.each<[string, UpdateLine['kind']]>([
    ['[sandy]   --stop failed for k', 'other'],
    ['Failed: 1', 'other'],
    ['[sandy]   Build failed for k', 'other'],
    ['[sandy] Restarting k', 'other'],
    ['[sandy]   k restarted in 5', 'other'],
    ['[sandy] Restarting k...', 'restarting'],
    ['[sandy]   k restarted in 5s.', 'restarted'],
  ])('%j without its end is %s', (raw, kind) => {
    expect(parseUpdateLine(raw, true).kind).toBe(kind);
  });

  it('with an endless key keeps 300 characters of it', () => {
    const line = parseUpdateLine(`[sandy] Restarting ${'k'.repeat(3000)}...`);
    expect(line).toEqual({ kind: 'restarting', key: `${'k'.repeat(299)}…` });
  });

  it.each([
    ' '.repeat(4096),
    `x${' '.repeat(4000)}`,
    ' true - restart ('.repeat(240),
    `k ${'? '.repeat(2000)}`,
    `k true ${'1'.repeat(4000)}`,
    `[sandy]   ...still refreshing k (1s: ${') '.repeat(2000)}`,
    `[sandy] Refreshing images for k (${'('.repeat(4000)}`,
    '\x1b['.repeat(2000),
    '\x1b]'.repeat(2000),
  ])('that makes a pattern try again does so in no time (%#)', (raw) => {
    // Not a measurement: a pattern that runs away needs hours and meets the test's own limit.
    for (let turn = 0; turn < 20; turn += 1) parseUpdateLine(raw);
    expect(parseUpdateLine(raw)).toBeDefined();
  });
});
