import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sensor } from '../../../src/core/port/readings.ts';
import { createReceipts, HeartbeatValidator } from '../../../src/core/readings/heartbeats.ts';
import { createSpareBatches, ReadingValidator } from '../../../src/core/readings/readings.ts';
import { addRefused } from '../../../src/core/readings/rejections.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { parseInstantUs } from '../../../src/core/time/instants.ts';
import { codePoint } from '../../code-points.ts';

const nowUs = Date.UTC(2026, 10, 20, 8, 15) * 1000;
const oven: Sensor = {
  series: 7,
  id: 'SE-1',
  code: 'OVEN',
  unit: 'Cel',
  isActive: true,
  silentAfter: null,
};
const door: Sensor = {
  series: 8,
  id: 'SE-2',
  code: 'DOOR',
  unit: null,
  isActive: true,
  silentAfter: null,
};
const old: Sensor = {
  series: 9,
  id: 'SE-3',
  code: 'OLD',
  unit: 'Cel',
  isActive: false,
  silentAfter: null,
};
const sensors = new Map(
  [oven, door, old].flatMap((sensor) => [
    [sensor.id, sensor] as const,
    [sensor.code, sensor] as const,
  ]),
);
const at = '2026-11-20T08:15:00.123456Z';
const validate = (items: readonly unknown[]) => {
  const time = { nowUs, retainedFromUs: Number.NEGATIVE_INFINITY };
  const validator = new ReadingValidator(items.length, sensors, time);
  for (const [index, item] of items.entries()) validator.add(item, index);
  return validator;
};
const validateBeat = (item: unknown) => {
  const validator = new HeartbeatValidator(sensors, nowUs, () => nowUs);
  validator.add(item, 0);
  return validator;
};
const codeOf = (item: unknown) => validate([item]).rejected[0]?.code;

describe('readings', () => {
  it('are kept apart if two bodies have more of them than were expected', () => {
    const spareBatches = createSpareBatches();
    const time = { nowUs, retainedFromUs: Number.NEGATIVE_INFINITY };
    const validators = [0, 1, 2].map(() => new ReadingValidator(3, sensors, time, spareBatches));
    const rowsOf = (body: number) =>
      Array.from({ length: 100 }, (_, n) => [7, nowUs + n, n / 4 + body, 0]);
    for (let n = 0; n < 100; n++) {
      for (const [body, validator] of validators.entries())
        validator.keep(2 * n, 7, nowUs + n, n / 4 + body, 0);
    }
    for (const [body, { batch, positions }] of validators.entries()) {
      expect([...batch.rows.subarray(0, 4 * batch.count)]).toEqual(rowsOf(body).flat());
      expect([...positions.subarray(0, batch.count)]).toEqual(rowsOf(body).map((_, n) => 2 * n));
    }
  });

  it('become rows', () => {
    const items = [
      { sensor: 'OVEN', at, value: 182.4, unit: 'Cel', quality: 'bad' },
      { sensor: 'nobody', at, value: 1 },
      { sensor: 'SE-2', at: 1795162500000, value: true },
    ];
    const { batch, positions, rejected } = validate(items);
    expect(batch.count).toBe(2);
    expect([...batch.rows.slice(0, 8)]).toEqual([
      7,
      parseInstantUs(at),
      182.4,
      3,
      8,
      1795162500000000,
      1,
      0,
    ]);
    expect([...positions.slice(0, 2)]).toEqual([0, 2]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([[1, 'unknown_sensor']]);
  });

  it('are rejected with a well-formed detail, whatever the text that it quotes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 100 }),
        fc.string({ unit: codePoint, maxLength: 100 }),
        (before, name) => {
          const long = `${'a'.repeat(before)}${name}${'😀'.repeat(50)}`;
          for (const item of [
            { sensor: long, at, value: 1 },
            { [`f${long}`]: 1 },
            { sensor: 'OVEN', at: long, value: 1 },
          ]) {
            const { detail = '' } = validate([item]).rejected[0] ?? {};
            expect(detail.isWellFormed(), detail).toBe(true);
            expect([...detail].length).toBeLessThan(250);
          }
        },
      ),
    );
  });

  it('are rejected without a secret that the quoted text contains, wherever it begins', () => {
    const secret = drawSecret();
    const encoded = [...secret].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    for (const text of [secret, encoded]) {
      for (let before = 0; before < 90; before++) {
        const { detail = '' } =
          validate([{ sensor: `${'-'.repeat(before)}${text}${'-'.repeat(2000)}`, at, value: 1 }])
            .rejected[0] ?? {};
        expect(decodeURIComponent(detail)).not.toContain(secret.slice(9, 20));
      }
    }
  });

  it('with a text of 16 KiB are rejected with its beginning', () => {
    const [rejection] = validate([{ sensor: 'Ab9'.repeat(5000), at, value: 1 }]).rejected;
    expect(rejection?.detail).toContain(`"${'Ab9'.repeat(26)}A…`);
  });

  it('are quoted as they are, whatever their text holds far behind what is quoted', () => {
    const escaped = [...drawSecret()].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    const [rejection] = validate([
      { sensor: `${'%2D'.repeat(200)}${escaped}`, at, value: 1 },
    ]).rejected;
    expect(rejection?.detail).toContain('%2D%2D%2D');
  });

  it('hold nothing of a reading rejected before them', () => {
    const items = [
      { sensor: 'OVEN', at, value: 1, quality: 'bad', unit: 'K' },
      { sensor: 'OVEN', at, value: 1 },
    ];
    expect(validate(items).batch.rows[3]).toBe(0);
  });

  it.each([
    [null, 'invalid_reading'],
    [[], 'invalid_reading'],
    ['OVEN', 'invalid_reading'],
    [{ at, value: 1 }, 'missing_field'],
    [{ sensor: 'OVEN', value: 1 }, 'missing_field'],
    [{ sensor: 'OVEN', at }, 'missing_field'],
    [{ sensor: 'OVEN', at, value: 1, colour: 1 }, 'unknown_field'],
    [JSON.parse('{"__proto__":1}'), 'unknown_field'],
    [{ sensor: 7, at, value: 1 }, 'unknown_sensor'],
    [{ sensor: 'toString', at, value: 1 }, 'unknown_sensor'],
    [{ sensor: 'OLD', at, value: 1 }, 'sensor_inactive'],
    [{ sensor: 'OVEN', at: '2026-11-20T08:15:00', value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: 1.5, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: 1_795_162_500, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: 99_999_999_999, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: 100_000_000_000, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: 631_151_999_999, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: 631_152_000_000, value: 1 }, undefined],
    [{ sensor: 'OVEN', at: 0, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: -1_795_162_500_000, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: '1970-01-01T00:00:17Z', value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: '1899-12-30T00:00:00Z', value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: '1989-12-31T23:59:59.999999Z', value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: '1990-01-01T01:00:00+01:00', value: 1 }, undefined],
    [{ sensor: 'OVEN', at: 1e300, value: 1 }, 'in_future'],
    [{ sensor: 'OVEN', at: {}, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: '2026-11-21T08:15:00.000001Z', value: 1 }, 'in_future'],
    [{ sensor: 'OVEN', at, value: '1' }, 'invalid_value'],
    [{ sensor: 'OVEN', at, value: null }, 'invalid_value'],
    [{ sensor: 'OVEN', at, value: Number.POSITIVE_INFINITY }, 'invalid_value'],
    [{ sensor: 'OVEN', at, value: 1, unit: 'K' }, 'unit_mismatch'],
    [{ sensor: 'DOOR', at, value: 1, unit: 'Cel' }, 'unit_mismatch'],
    [{ sensor: 'OVEN', at, value: 1, quality: 'superb' }, 'invalid_quality'],
    [{ sensor: 'OVEN', at: '2026-11-21T08:15:00Z', value: 1 }, undefined],
    [{ sensor: 'OVEN', at: '9999-12-31T23:59:59Z', value: 1 }, 'in_future'],
    [{ sensor: 'OVEN', at: 1_795_508_100_000_000, value: 1 }, 'in_future'],
    [{ sensor: 'OVEN', at: Number.MAX_VALUE, value: 1 }, 'in_future'],
    [{ sensor: 'OVEN', at: '0001-01-01T00:00:00Z', value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: -Number.MAX_VALUE, value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at: '1700-01-01T00:00:00Z', value: 1 }, 'invalid_at'],
    [{ sensor: 'OVEN', at, value: -0, unit: null, quality: null }, undefined],
  ])('%j → %s', (item, code) => {
    expect(codeOf(item)).toBe(code);
  });

  it('are refused without a secret or a flood in the sentence', () => {
    const detail = validate([{ sensor: `hk_${'x'.repeat(4000)}`, at, value: 1 }]).rejected[0]
      ?.detail;
    expect(detail?.length).toBeLessThan(200);
    expect(detail).not.toContain('xxxxxx');
  });

  it('in epoch seconds are refused with the reason, readings and heartbeats alike', () => {
    const detail =
      '1795162500 is below 100,000,000,000 and looks like epoch seconds of 2026-11-20T08:15:00Z: ' +
      'epoch seconds taken for milliseconds would land in 1970. Give whole epoch milliseconds or RFC 3339.';
    const item = { sensor: 'OVEN', at: 1_795_162_500 };
    const expected = [{ index: 0, code: 'invalid_at', detail }];
    expect(validate([{ ...item, value: 1 }]).rejected).toEqual(expected);
    expect(validateBeat(item).rejected).toEqual(expected);
  });

  it.each([
    [{ value: '182,4' }, 'The value "182,4" is neither a finite number nor a boolean.'],
    [{ value: '182.4' }, 'Send the number 182.4 without quotes.'],
    [{ value: null }, 'The value null is neither'],
    [{ value: [1] }, 'The value […] is neither'],
    [{ value: { a: 1 } }, 'The value {…} is neither'],
    [{ value: Number.POSITIVE_INFINITY }, 'The value Infinity is neither'],
    [{ value: 1, quality: 'Good' }, 'The quality "Good" is not valid; use good, uncertain or bad.'],
    [{ value: 1, quality: 3 }, 'The quality 3 is not valid'],
    [{ value: 1, at: 'soon' }, '"soon" is not an instant'],
    [
      { value: 1, at: '1795773600000' },
      'looks like a number in quotes: send it without them, or give RFC',
    ],
  ])('are rejected with the value that came: %j', (fields, detail) => {
    expect(validate([{ sensor: 'OVEN', at, ...fields }]).rejected[0]?.detail).toContain(detail);
  });

  it('are rejected without a secret in the value that came', () => {
    const secret = drawSecret();
    for (const fields of [
      { value: secret },
      { value: 1, quality: secret },
      { value: 1, at: secret },
    ]) {
      const { detail = '' } = validate([{ sensor: 'OVEN', at, ...fields }]).rejected[0] ?? {};
      expect(detail).not.toContain(secret.slice(9, 20));
      expect(detail.length).toBeLessThan(250);
    }
  });

  it('that conflict are named by their place in the body', () => {
    const rejected = validate([1, 1]).rejected;
    const all = addRefused(rejected, { conflicts: [0, 2] }, [5, 6, 0]);
    expect(all.map(({ index, code }) => [index, code])).toEqual([
      [0, 'invalid_reading'],
      [0, 'reading_conflict'],
      [1, 'invalid_reading'],
      [5, 'reading_conflict'],
    ]);
  });
});

describe('heartbeats', () => {
  it('take the time of receipt where they name none', () => {
    const heartbeat = {
      series: 7,
      atUs: nowUs,
      status: null,
      battery: null,
      signal: null,
      firmware: null,
    };
    expect(validateBeat({ sensor: 'OVEN' }).heartbeats).toEqual([heartbeat]);
    expect(validateBeat({ sensor: 'OLD', status: 'fault' }).heartbeats).toHaveLength(1);
  });

  it.each([
    [{ status: 'ok' }, 'missing_field'],
    [{ sensor: 'nobody' }, 'unknown_sensor'],
    [{ sensor: 'OVEN', at: 'now' }, 'invalid_at'],
    [{ sensor: 'OVEN', status: 'fine' }, 'invalid_status'],
    [{ sensor: 'OVEN', battery: 101 }, 'invalid_battery'],
    [{ sensor: 'OVEN', signal: '-70' }, 'invalid_signal'],
    [{ sensor: 'OVEN', firmware: 'a\nb' }, 'invalid_firmware'],
    [{ sensor: 'OVEN', firmware: 'v1\ud800' }, 'invalid_firmware'],
    [{ sensor: 'OVEN', firmware: '\udc00\ud800' }, 'invalid_firmware'],
    [{ sensor: 'OVEN', firmware: 'v1 😀' }, undefined],
    [{ sensor: 'OVEN', value: 1 }, 'unknown_field'],
    [1, 'invalid_reading'],
  ])('%j → %s', (item, code) => {
    expect(validateBeat(item).rejected[0]?.code).toBe(code);
  });
});

it.each([
  [{ status: 'fine' }, 'The status "fine" is not valid; use ok, degraded or fault.'],
  [{ battery: 101 }, 'The battery 101 is not valid'],
  [{ signal: '-70' }, 'The signal "-70" is not valid'],
  [{ firmware: '' }, 'The firmware "" is not valid'],
  [{ at: 202611200815 }, '202611200815 is before 1990'],
])('heartbeats are rejected with the value that came: %j', (fields, detail) => {
  expect(validateBeat({ sensor: 'OVEN', ...fields }).rejected[0]?.detail).toContain(detail);
});

describe('times of receipt', () => {
  it('are each later than the one before, however many come at once', () => {
    let nowMs = 1_760_000_000_000;
    const receiptUs = createReceipts(() => nowMs);
    const many = Array.from({ length: 3000 }, receiptUs);
    expect(many[0]).toBe(nowMs * 1000);
    expect(new Set(many).size).toBe(many.length);
    nowMs += 1;
    expect(receiptUs()).toBeGreaterThan(many.at(-1) ?? 0);
    nowMs += 5000;
    expect(receiptUs()).toBe(nowMs * 1000);
  });

  it('follow a clock that was put back', () => {
    let nowMs = 1_760_000_000_000;
    const receiptUs = createReceipts(() => nowMs);
    receiptUs();
    nowMs -= 86_400_000;
    expect(receiptUs()).toBe(nowMs * 1000);
  });
});
