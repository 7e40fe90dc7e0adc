import { expect, it } from 'vitest';
import { qualities, type SensorDirectory } from '../../../src/core/port/readings.ts';
import { batchesOf, demoReadings } from '../../../src/demo/readings.ts';
import { assetList, sensorKinds } from '../../../src/demo/words.ts';
import { Cli, type KeyJson } from '../../cli/harness.ts';
import { newDatabase } from '../../store/postgres/databases.ts';

const nowMs = Date.parse('2026-11-20T08:00:30Z');
const hourMs = 3_600_000;
const codes = assetList.flatMap(([machine]) => sensorKinds.map(([kind]) => `${machine}-${kind}`));
const sensors: SensorDirectory = new Map(
  codes.map((code, series) => [
    code,
    { series, id: code, code, unit: null, isActive: true, silentAfter: null },
  ]),
);

const sentIn = (timezone: string) => demoReadings(sensors, { nowMs, timezone, seed: 1 });
const inBerlin = sentIn('Europe/Berlin');

/** What a sensor sent, oldest first: hours before now, value, quality. */
function sentBy(code: string, { rows } = inBerlin) {
  const sent: { ago: number; value: number; quality: string }[] = [];
  for (let at = 0; at < rows.length; at += 4) {
    const [series, atUs = 0, value = 0, rank = 0] = rows.slice(at, at + 4);
    if (series !== sensors.get(code)?.series) continue;
    sent.push({
      ago: (nowMs - atUs / 1000) / hourMs,
      value,
      quality: rank === 0 ? 'good' : (qualities[rank - 1] ?? ''),
    });
  }
  return sent;
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

it('sends a reading of each sensor every other minute for a day, and never one of the future', () => {
  for (const code of codes.filter((one) => !['OVEN-2-T1', 'QUENCH-1-T2'].includes(one))) {
    const sent = sentBy(code);
    expect([code, sent.length]).toEqual([code, 13 * 60 + 1]);
    expect(sent.at(-1)?.ago).toBeGreaterThanOrEqual(0);
    expect(sent.at(-1)?.ago).toBeLessThan(1 / 60);
    expect(sent.every(({ quality, value }) => quality === 'good' && value >= 0)).toBe(true);
  }
});

it.each([
  ['Europe/Berlin', 1],
  ['America/Chicago', -6],
])('works in the shifts of %s', (timezone, offset) => {
  const hour = (ago: number) => (((8 - ago + offset) % 24) + 24) % 24;
  const power = sentBy('LATHE-1-E1', sentIn(timezone)).map(({ ago, value }) => ({
    hour: hour(ago),
    value,
  }));
  const between = (from: number, to: number) =>
    power.filter((one) => one.hour >= from && one.hour < to).map(({ value }) => value);
  expect(mean(between(0, 5))).toBeLessThan(1);
  expect(mean(between(7, 9))).toBeGreaterThan(12);
});

it('heats ovens and lets them cool, with no jump', () => {
  const values = sentBy('OVEN-1-T1').map(({ value }) => value);
  expect(Math.max(...values)).toBeGreaterThan(900);
  expect(Math.min(...values)).toBeLessThan(350);
  const steps = values.slice(1).map((value, n) => Math.abs(value - (values[n] ?? value)));
  expect(Math.max(...steps)).toBeLessThan(40);
});

it('has a sensor whose thermocouple broke five hours ago', () => {
  const { rejectedMs } = inBerlin;
  expect(rejectedMs).toHaveLength(76);
  expect(rejectedMs.every((ms) => ms <= nowMs && ms > nowMs - 5.1 * hourMs)).toBe(true);
  const sent = sentBy('OVEN-2-T1');
  const broken = sent.filter(({ quality }) => quality === 'bad');
  expect(broken).toEqual(sent.filter(({ ago }) => ago < 5.01));
  expect(new Set(broken.map(({ value }) => value))).toEqual(new Set([1372]));
});

it('puts readings into batches of the size of a post', () => {
  const batches = [...batchesOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 2)];
  expect(batches.map(({ count, rows }) => [count, ...rows])).toEqual([
    [2, 1, 2, 3, 4, 5, 6, 7, 8],
    [1, 9, 10, 11, 12],
  ]);
});

it.each([
  ['SQLite', async () => new Cli()],
  ['PostgreSQL', async () => new Cli(await newDatabase())],
])(
  'init --demo on %s shows keys in every state, their usage, and what needs attention',
  async (_, open) => {
    const cli = await open();
    cli.nowMs = Date.now();
    // On a narrow terminal sentences are wrapped, and commands stay whole.
    const { stdout, stderr } = await cli.ok('init --demo', { terminal: { columns: 40, rows: 24 } });
    expect(stdout.replaceAll('\n', ' ')).toContain(
      'with a day of readings and keys in every state',
    );
    expect(stderr).not.toMatch(/hk_\w{6}/);

    const keys = (await cli.ok('keys list --all --json')).json<KeyJson[]>();
    const named = new Map(keys.map((key) => [key.name, key]));
    expect([...named].map(([name, { status }]) => [name, status])).toEqual([
      ['Shift board', 'Active'],
      ['ERP bridge', 'Active'],
      ['Training kiosk', 'Active'],
      ['MES pilot', 'Revoked'],
      ['Oven gateway', 'Active'],
    ]);
    expect(named.get('Shift board')?.allowed_ips).toEqual(['10.20.8.0/24']);
    expect(named.get('Training kiosk')?.last_used_at).toBeNull();
    const days =
      (Date.parse(named.get('ERP bridge')?.expires_at ?? '') - cli.nowMs) / (24 * hourMs);
    expect(days).toBeGreaterThan(8.9);
    expect(days).toBeLessThan(9.1);

    const usage = async (name: string) =>
      (await cli.ok(['keys', 'show', name, '--json'])).json<{ usage: Record<string, never>[] }>()
        .usage;
    expect((await usage('Oven gateway')).length).toBeGreaterThan(88);
    expect((await usage('Oven gateway')).at(-2)).toMatchObject({
      readings: { accepted: expect.any(Number) },
    });
    expect(await usage('Training kiosk')).toEqual([]);
    expect((await usage(named.get('MES pilot')?.prefix ?? '')).length).toBeGreaterThan(60);
    expect(await usage('Shift board')).toContainEqual(
      expect.objectContaining({ refused: { address_not_allowed: 9 } }),
    );

    const status = await cli.run('status --json');
    expect(status.code).toBe(5);
    expect(status.json()).toMatchObject({
      attention: ['keys_expiring', 'keys_unused', 'sensors_silent', 'readings_rejected'],
      keys: { active: 4, expiring_within_14_days: 1, unused_for_90_days: 1 },
      sensors: { active: 100, silent: 1, never_heard: 0 },
      rejected_in_a_day: [{ prefix: named.get('Oven gateway')?.prefix, readings: 76 }],
    });
    const states = (await cli.ok('sensors list --entity BER --json')).json<
      Record<string, unknown>[]
    >();
    const ofSensor = new Map(states.map((state) => [state.code, state]));
    expect(ofSensor.get('OVEN-2-T1')).toMatchObject({ last_value: 1372, last_status: 'fault' });
    expect(ofSensor.get('OVEN-1-T1')).toMatchObject({
      last_status: 'ok',
      last_heartbeat_at: expect.any(String),
    });
    expect((await cli.ok('sensors show OVEN-1-T1 --entity BER')).stdout).toMatch(
      /mean \d+ Cel · max 92\d Cel · 72\d readings/,
    );
    expect((await cli.ok('audit verify')).stdout).toContain('the chain is whole');

    // Each of the three things to try works as printed.
    const tries = [...stderr.matchAll(/^ {4}hkctl (.+)$/gm)].map(([, command = '']) => command);
    expect(tries).toEqual(['keys', 'sensors show OVEN-2-T1 --entity BER', 'status']);
    const tried = await Promise.all(tries.map((command) => cli.run(command)));
    expect(tried.map(({ code }) => code)).toEqual([0, 0, 5]);
  },
);
