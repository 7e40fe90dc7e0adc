import { describe, expect, it } from 'vitest';
import type { Sensor } from '../../../src/core/port/readings.ts';
import { ReadingValidator } from '../../../src/core/readings/readings.ts';
import type { Fault } from '../../../src/core/readings/rejections.ts';
import { ingestOperations } from '../../../src/http/ingest/operations.ts';
import { SenmlPack } from '../../../src/http/ingest/senml.ts';

const nowMs = Date.UTC(2026, 10, 20, 8, 15);
const time = { nowUs: nowMs * 1000, retainedFromUs: Number.NEGATIVE_INFINITY };
const oven: Sensor = {
  series: 7,
  id: 'SE-1',
  code: 'OVEN',
  unit: null,
  isActive: true,
  silentAfter: null,
};

/** The readings of a pack, in JSON's shape. */
function itemsOf(pack: readonly unknown[]): unknown[] {
  const items: unknown[] = [];
  const add = (item: unknown) => items.push(item);
  const refuse = (_: number, fault: Fault) => items.push(fault);
  const resolved = new SenmlPack({ add, refuse }, time.nowUs);
  for (const [index, record] of pack.entries()) resolved.add(record, index);
  return items;
}

function validate(items: readonly unknown[], sensor: Sensor): ReadingValidator {
  const validator = new ReadingValidator(items.length, new Map([[sensor.code, sensor]]), time);
  for (const [index, item] of items.entries()) validator.add(item, index);
  return validator;
}

/** What the validator makes of a pack. */
function validated(pack: readonly unknown[]): ReadingValidator {
  const validator = validate([], oven);
  const resolved = new SenmlPack(validator, time.nowUs);
  for (const [index, record] of pack.entries()) resolved.add(record, index);
  return validator;
}

/** The instant in epoch ms of one SenML record, or the code of its rejection. */
function outcomeOf(record: Record<string, unknown>): number | string | undefined {
  const { batch, rejected } = validated([{ n: 'OVEN', v: 1, ...record }]);
  return rejected[0]?.code ?? (batch.rows[1] ?? Number.NaN) / 1000;
}

it('the example of the documents is the reading of the other examples, to the second', () => {
  const [{ examples }] = ingestOperations;
  const items = itemsOf(examples['application/senml+json']);
  const [reading] = examples['application/json'].readings;
  const [resolved] = items as { sensor: string; at: unknown }[]; // as the records say
  const { sensor, at, value } = reading ?? { sensor: '', at: '', value: 0 };
  expect(resolved).toMatchObject({ sensor, value });
  const { batch } = validate(items, { ...oven, code: sensor, unit: 'Cel' });
  expect((batch.rows[1] ?? 0) / 1e6).toBe(Math.floor(Date.parse(at) / 1000));
});

describe('the time of a SenML record, in seconds', () => {
  it.each([
    ['now without one', {}, nowMs],
    ['counted from now below 2^28', { t: -60 }, nowMs - 60_000],
    [
      'of an epoch below 100,000,000,000, which is milliseconds elsewhere',
      { t: 1_795_162_500 },
      1_795_162_500_000,
    ],
    ['with a base time', { bt: 1_795_162_500, t: 1.5 }, 1_795_162_501_500],
    ['before 1990, counted from now', { t: -2_000_000_000 }, 'invalid_at'],
    ['between 2^28 and 1990', { t: 400_000_000 }, 'invalid_at'],
    ['of digits that are a date', { bt: 202611200815 }, 'in_future'],
    ['before 1685', { t: -1.1e10 }, 'invalid_at'],
    ['before any calendar', { t: -1e300 }, 'invalid_at'],
    ['in milliseconds by mistake', { t: 1_795_162_500_000 }, 'in_future'],
    ['beyond any calendar', { t: 1e300 }, 'in_future'],
  ])('%s', (_name, record, expected) => {
    expect(outcomeOf(record)).toBe(expected);
  });
});

it('a base name longer than that of any sensor is cut: every record of a pack would hold a copy of it', () => {
  const records = [
    { bn: 'x'.repeat(15_000) },
    ...Array.from({ length: 3 }, () => ({ n: 'OVEN', v: 1, t: 1 })),
  ];
  const items = itemsOf(records);
  expect(items.map((item) => (item as { sensor: string }).sensor.length < 1100)).toEqual([
    true,
    true,
    true,
  ]); // made of a record each
  const { rejected } = validate(items, oven);
  expect(rejected.map(({ code }) => code)).toEqual(Array(3).fill('unknown_sensor'));
});

it.each(['vs', 'vd', 's'])(
  'a record with only "%s" is rejected, and the reason says what is stored',
  (label) => {
    const { rejected, batch } = validated([
      { n: 'OVEN', t: 1_795_162_500, [label]: label === 's' ? 1 : 'x' },
      { n: 'OVEN', t: 1_795_162_500, vb: true },
    ]);
    expect(rejected).toMatchObject([{ index: 0, code: 'invalid_value' }]);
    expect(rejected[0]?.detail).toContain(
      `"${label}": only numbers ("v") and booleans ("vb") are stored`,
    );
    expect(batch.count).toBe(1);
  },
);

it('a time in milliseconds is named as what it is', () => {
  const { rejected } = validated([{ n: 'OVEN', v: 1, t: 1_795_162_500_000 }]);
  expect(rejected[0]?.detail).toBe(
    '1795162500000 is more than 24 hours ahead and looks like epoch milliseconds of 2026-11-20T08:15:00Z; give epoch seconds.',
  );
});

it.each([
  ['{}', {}, 'missing_field', 'neither a value'],
  ['members of another format', { sensor: 'OVEN', value: 1 }, 'missing_field', 'neither a value'],
  ['only a unit', { u: 'Cel' }, 'missing_field', 'neither a value'],
  ['two values', { n: 'OVEN', v: 1, vb: true }, 'invalid_value', 'several values: "v" and "vb"'],
  ['a number and a text', { n: 'OVEN', v: 1, vs: 'x' }, 'invalid_value', '"v" and "vs"'],
  ['a time in quotes', { n: 'OVEN', v: 1, t: '1' }, 'invalid_at', 'not a number of seconds'],
])('a record of %s is rejected, not passed over', (_name, record, code, detail) => {
  const { rejected, batch } = validated([{ bt: 1_795_162_500 }, record]);
  expect(rejected).toMatchObject([{ index: 1, code, detail: expect.stringContaining(detail) }]);
  expect(batch.count).toBe(0);
});
