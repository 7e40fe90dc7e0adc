import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UsageCount } from '../../../../src/core/port/usage.ts';
import { Cli, type KeyJson, startMs } from '../../harness.ts';

const dayMs = 86_400_000;
const today = Math.floor(startMs / dayMs);

function counted(
  day: number,
  kind: UsageCount['kind'],
  count: number,
  code = '',
): Omit<UsageCount, 'keyId'> {
  const isRejected = kind === 'rejected';
  const last = {
    lastAtMs: isRejected ? startMs - 5000 : null,
    lastSensor: isRejected ? 'OVEN-9' : null,
    lastAddress: null,
  };
  return { day, kind, count, code, ...last };
}

/** Adds to the usage of a key, as a daemon does. */
async function merge(
  cli: Cli,
  key: KeyJson,
  counts: readonly Omit<UsageCount, 'keyId'>[],
): Promise<void> {
  const store = await (await cli.services.engine(cli.store)).open();
  const uses = new Map([[key.id, { atMs: startMs - 3_600_000, ip: '192.0.2.17' }]]);
  await store.keys.recordUse(uses, {
    counts: counts.map((one) => ({ ...one, keyId: key.id })),
    kept: undefined,
  });
  await store.close();
}

describe('the usage of a key as JSON', () => {
  const cli = new Cli();
  let key: KeyJson;
  beforeAll(async () => {
    await cli.seed();
    key = (await cli.key('gateway')).key;
  });
  const usage = async () =>
    (await cli.ok(['keys', 'show', key.prefix, '--json'])).json<{ usage: unknown }>().usage;

  it('is an empty list where it was never used', async () => {
    expect(await usage()).toEqual([]);
  });

  it('has an entry for each of the last 90 days with any, the oldest first', async () => {
    await merge(cli, key, [
      counted(today, 'request', 7),
      counted(today, 'refused', 2, 'not_found'),
      counted(today, 'accepted', 5),
      counted(today, 'duplicate', 1),
      counted(today, 'rejected', 3, 'unknown_sensor'),
      counted(today - 89, 'request', 1),
      counted(today - 90, 'request', 1),
      counted(today + 1, 'request', 1),
    ]);
    const date = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);
    expect(await usage()).toEqual([
      {
        date: date(today - 89),
        requests: 1,
        refused: {},
        readings: { accepted: 0, duplicates: 0, rejected: {} },
        last_rejected: null,
      },
      {
        date: date(today),
        requests: 7,
        refused: { not_found: 2 },
        readings: { accepted: 5, duplicates: 1, rejected: { unknown_sensor: 3 } },
        last_rejected: {
          at: new Date(startMs - 5000).toISOString(),
          code: 'unknown_sensor',
          sensor: 'OVEN-9',
        },
      },
    ]);
  });
});

describe('the usage of a key for people', () => {
  const cli = new Cli();
  let key: KeyJson;
  beforeAll(async () => {
    await cli.seed();
    key = (await cli.key('gateway')).key;
    await cli.key('quiet');
    const days = Array.from({ length: 30 }, (_, n) => n);
    await merge(cli, key, [
      ...days.map((n) => counted(today - n, 'request', 1000 * (n + 1))),
      ...days.slice(0, 3).map((n) => counted(today - n, 'accepted', 5000)),
      counted(today - 1, 'rejected', 312, 'unknown_sensor'),
      counted(today, 'rejected', 40, 'unknown_sensor'),
      counted(today, 'rejected', 50, 'invalid_at'),
      counted(today, 'refused', 2, 'not_found'),
    ]);
  });
  const shown = async (columns: number, term = 'xterm') => {
    const options = { terminal: { columns, rows: 40 }, env: { NO_COLOR: '1', TERM: term } };
    const { stdout } = await cli.ok(['keys', 'show', key.prefix], options);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
    return stdout.slice(stdout.indexOf('Requests'), stdout.indexOf('Permissions'));
  };

  it('is drawn with its refusals on a wide terminal', async () => {
    expect(await shown(120)).toBe(`\
Requests   ${'·'.repeat(60)}████▇▇▇▇▆▆▆▆▅▅▅▄▄▄▄▃▃▃▃▂▂▂▂▁▁▁
Refused    ${'·'.repeat(88)}█▃
           2026-08-23                      most 30,000 and 312 a day                       2026-11-20
90 days    465,000 requests, 2 refused; 15,000 readings accepted, 402 rejected
Today      1,000 requests, 2 refused (2 not_found); 5,000 readings accepted, 90 rejected (50 invalid_at, 40
           unknown_sensor)
Rejected   last 2026-11-20 08:59:55 CET: unknown_sensor OVEN-9
`);
  });

  it('sums up days on a narrow one, and is plain ASCII on a terminal that knows no more', async () => {
    for (const columns of [60, 80]) {
      expect((await shown(columns)).split('\n').slice(0, 3)).toEqual([
        `Requests   ${'·'.repeat(30)}██▇▇▆▆▅▅▄▄▃▃▂▁▁`,
        `Refused    ${'·'.repeat(44)}█`,
        `           2026-08-23${' '.repeat(25)}2026-11-20`,
      ]);
    }
    expect((await shown(80, 'dumb')).split('\n')[0]).toBe(
      `Requests   ${'.'.repeat(30)}@@%%##**++==-::`,
    );
  });

  it('is one line of a key that was not used', async () => {
    const { stdout } = await cli.ok(['keys', 'list', '--search', 'quiet', '--json']);
    const [quiet] = JSON.parse(stdout);
    expect((await cli.ok(['keys', 'show', quiet.prefix])).stdout).toMatch(
      /Usage +none in 90 days\n/,
    );
  });

  const listed = async (nowMs: number, columns?: number) => {
    const terminal = columns === undefined ? {} : { terminal: { columns, rows: 24 } };
    const { stdout } = await cli.ok('keys list', { nowMs, ...terminal, env: { NO_COLOR: '1' } });
    return stdout;
  };

  it('marks in the list what is being refused today or yesterday', async () => {
    const other = (await cli.key('other')).key;
    const harmless = [
      counted(today, 'refused', 5, 'not_found'),
      counted(today, 'refused', 5, 'unavailable'),
    ];
    await merge(cli, other, [...harmless, counted(today - 2, 'rejected', 9, 'unknown_sensor')]);
    const wide = await listed(startMs, 120);
    expect(wide.match(/\d+: .*$/gm)).toEqual(['402: unknown_sensor, invalid_at']);
    expect(wide).toContain('3 keys, 1 being refused');
    expect(await listed(startMs)).toMatch(
      /REFUSED\n[^!]*gateway\t.*\t402: unknown_sensor, invalid_at\n/,
    );
    const narrow = await listed(startMs, 60);
    expect(narrow).toContain('402: unknown_sensor,…');
  });

  it('is part of the settings page, drawn and in plain lines', async () => {
    const terminal = { columns: 80, rows: 30 };
    const { stdout } = await cli.ok('keys --search gateway', {
      terminal,
      keys: ['q'],
      env: { TERM: 'xterm' },
    });
    expect(stdout).toMatch(/Requests .*·██▇▇▆▆▅▅▄▄▃▃▂▁▁/);
    expect(stdout).toMatch(/Today .*1,000 requests, 2 refused/);
    const plain = await cli.run('keys --plain --search gateway', { terminal, keys: ['\u0004'] });
    expect(plain.stdout).toMatch(/90 days: 465,000 requests, 2 refused;/);
  });

  it('tells in a confirmation when and from where a key was last used', async () => {
    const asked = async (line: string[]) =>
      stripVTControlCharacters(
        (await cli.run(line, { terminal: { columns: 120, rows: 40 }, keys: ['\u001b'] })).stderr,
      );
    const last = '2026-11-20 08:00:00 CET (1 h ago) from 192.0.2.17';
    for (const verb of ['rotate', 'revoke'])
      expect(await asked(['keys', verb, key.prefix])).toMatch(`Last used  ${last}`);
    const [other] = (await cli.ok('keys list --search quiet --json')).json<KeyJson[]>();
    const both = await asked(['keys', 'revoke', key.prefix, other?.prefix ?? '']);
    expect(both).toContain(`${key.prefix}  last used: ${last}`);
    expect(both).toContain(`${other?.prefix}  last used: Never`);
  });

  it('is marked no longer the day after tomorrow', async () => {
    expect(await listed(startMs + dayMs, 120)).toContain('REFUSED');
    expect(await listed(startMs + 2 * dayMs, 120)).not.toContain('REFUSED');
  });
});

it('what is yesterday is decided by the time of each site', async () => {
  const cli = await new Cli().seed();
  const berlin = (await cli.key('berlin')).key;
  const chicago = (await cli.key('chicago', ['--entity', 'CHI'])).key;
  cli.nowMs = startMs + 19 * 3_600_000;
  // In Berlin it is the next day, in Chicago not yet.
  for (const key of [berlin, chicago])
    await merge(cli, key, [counted(today - 1, 'rejected', 5, 'unknown_sensor')]);
  const { stdout } = await cli.ok('keys list');
  expect(stdout.match(/^.*5: unknown_sensor$/gm)).toEqual([expect.stringContaining('chicago')]);
});
