import { beforeAll, describe, expect, it } from 'vitest';
import type { Key } from '../../../../src/core/port/keys.ts';
import type { UsageCount } from '../../../../src/core/port/usage.ts';
import { Cli, startMs } from '../../harness.ts';

const today = Math.floor(startMs / 86_400_000);

describe('the usage of a key', () => {
  const cli = new Cli();
  let key: Pick<Key, 'id' | 'prefix'>;
  const merge = async (...counts: Omit<UsageCount, 'keyId'>[]) => {
    const store = await cli.services.openStore(cli.store);
    const ofKey = counts.map((count) => ({ ...count, keyId: key.id }));
    await store.keys.recordUse(new Map(), { counts: ofKey, kept: undefined });
    await store.close();
  };
  const counted = (day: number, kind: UsageCount['kind'], count: number, code = '') => ({
    ...{ day, kind, count, code },
    ...(kind === 'rejected'
      ? { lastAtMs: startMs - 5000, lastSensor: 'OVEN-9' }
      : { lastAtMs: null, lastSensor: null }),
  });
  beforeAll(async () => {
    await cli.seed();
    key = (await cli.key('gateway')).key;
  });

  it('is an empty list of a key that was never used', async () => {
    const { usage } = (await cli.ok(['keys', 'show', key.prefix, '--json'])).json<{ usage: unknown }>();
    expect(usage).toEqual([]);
  });

  it('is shown as JSON, the oldest day first, as the contract says', async () => {
    await merge(
      counted(today, 'request', 7),
      counted(today, 'refused', 2, 'not_found'),
      counted(today, 'accepted', 5),
      counted(today, 'duplicate', 1),
      counted(today, 'rejected', 3, 'unknown_sensor'),
      counted(today - 89, 'request', 1),
      counted(today - 90, 'request', 1),
      counted(today + 1, 'request', 1),
    );
    const { usage } = (await cli.ok(['keys', 'show', key.prefix, '--json'])).json<{ usage: unknown }>();
    const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
    expect(usage).toEqual([
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
        last_rejected: { at: new Date(startMs - 5000).toISOString(), code: 'unknown_sensor', sensor: 'OVEN-9' },
      },
    ]);
  });
});
