import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sensor } from '../../../src/core/port/readings.ts';
import { ReadingValidator } from '../../../src/core/readings/readings.ts';
import { maxBatch } from '../../../src/core/readings/rejections.ts';
import { ApiError } from '../../../src/http/answers/problem.ts';
import { finish } from '../../../src/http/fairness/slices.ts';
import { takeItems } from '../../../src/http/ingest/items.ts';
import { namesInLines, takeLines } from '../../../src/http/ingest/line-protocol.ts';
import { namesInJson } from '../../../src/http/ingest/sensor-names.ts';
import { UsualReadings } from '../../../src/http/ingest/usual-readings.ts';
import { propertyRuns } from '../../properties.ts';

const nowUs = Date.UTC(2026, 10, 20, 8, 15) * 1000;
const time = { nowUs, retainedFromUs: Date.UTC(1684, 0) * 1000 };
const named = (
  series: number,
  id: string,
  code: string,
  unit: string | null,
  isActive = true,
): Sensor => ({
  series,
  id,
  code,
  unit,
  isActive,
  silentAfter: null,
});
const all = [
  named(7, 'SE-1', 'OVEN', 'Cel'),
  named(8, 'SE-2', 'DOOR', null),
  named(9, 'SE-3', 'OLD', 'Cel', false),
  named(10, 'SE-4', 'Öfen\u{1F525}', '°C'),
  named(11, 'SE-5', '', ''),
  named(12, 'SE-6', 'SLASH', '\\\\'),
  named(2 ** 40, 'SE-7', 'FAR', null),
];
const sensors = new Map(
  all.flatMap((sensor) => [[sensor.id, sensor] as const, [sensor.code, sensor] as const]),
);
const wrapping = { name: 'readings', expected: 'One list.' };

/** Everything that a body leads to; `isUsual` lets usual readings take the short way. */
function resultOf(body: Buffer, isLines: boolean, isUsual: boolean, names = namesInJson(sensors)) {
  const validator = new ReadingValidator(Math.ceil(body.length / 2), sensors, time);
  let usual = 0;
  const short = new UsualReadings(body, names, validator);
  const taker = {
    added: 0,
    add: short.add.bind(short),
    refuse: short.refuse.bind(short),
    takeBack: short.takeBack.bind(short),
    addUsual(from: number, index: number, to: number) {
      const end = short.addUsual(from, index, to);
      taker.added = short.added;
      usual += short.added;
      return end;
    },
  };
  try {
    finish(takeItems(body, isLines ? undefined : wrapping, isUsual ? taker : validator));
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    return { usual, result: { code: thrown.code, detail: thrown.message } };
  }
  const { batch, positions, rejected } = validator;
  const rows = Buffer.from(batch.rows.buffer, 0, batch.count * 32).toString('hex');
  return { usual, result: { rows, positions: [...positions.subarray(0, batch.count)], rejected } };
}

const names = namesInJson(sensors);

/** Compares the two ways; gives how many readings took the short one. */
function compare(body: Buffer, isLines: boolean): number {
  const { usual, result } = resultOf(body, isLines, true, names);
  const slow = resultOf(body, isLines, false);
  if (JSON.stringify(result) !== JSON.stringify(slow.result)) {
    expect({ body: body.toString('latin1'), result }).toEqual({
      body: body.toString('latin1'),
      result: slow.result,
    });
  }
  return usual;
}

/** Mostly `usual`, and now and then `odd`. */
function mostly(
  usual: fc.Arbitrary<string>,
  ...odd: (string | fc.Arbitrary<string>)[]
): fc.Arbitrary<string> {
  const others = fc.oneof(...odd.map((one) => (typeof one === 'string' ? fc.constant(one) : one)));
  return fc.oneof({ weight: 12, arbitrary: usual }, others);
}

const padded = (min: number, max: number) =>
  fc.integer({ min, max }).map((value) => String(value).padStart(2, '0'));
const toInstant = (parts: readonly (string | number)[]) => {
  const [year, month, day, hour, minute, second, fraction, zone] = parts;
  return `"${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${zone}"`;
};
const instant = fc
  .tuple(
    fc.integer({ min: 1990, max: 2025 }),
    ...[padded(1, 12), padded(1, 30), padded(0, 23), padded(0, 59), padded(0, 59)],
    fc.constantFrom('', '', '.1', '.123', '.123456', '.000001'),
    fc.constant('Z'),
  )
  .map(toInstant);
const oddInstant = fc
  .tuple(
    fc.integer({ min: 1600, max: 2300 }),
    ...[padded(0, 13), padded(0, 32), padded(0, 24), padded(0, 60), padded(0, 60)],
    fc.constantFrom('', '.', '.1234567', '.12a', '.1'),
    fc.constantFrom('Z', 'z', '+01:00', ''),
  )
  .map(toInstant);
const oddInstants = [
  '2024-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '1684-06-01T00:00:00Z',
  '1989-12-31T23:59:59.999999Z',
  '1990-01-01T00:00:00Z',
];
const epochs = [
  ...[
    '01600000000000',
    '1600000000000.0',
    '1600000000000.5',
    '-1600000000000',
    '99999999999',
    '16e11',
    'true',
    'null',
  ],
  ...[
    '100000000000',
    '631151999999',
    '9007199254740',
    '9007199254741',
    '1795249200000',
    '1795249200001',
  ],
];
const at = mostly(
  fc.oneof(instant, fc.integer({ min: Date.UTC(1990), max: nowUs / 1000 }).map(String)),
  oddInstant,
  ...oddInstants.map((text) => `"${text}"`),
  ...epochs,
);
const value = mostly(
  fc.oneof(
    fc.tuple(fc.integer(), fc.nat({ max: 4 })).map(([n, places]) => (n / 1000).toFixed(places)),
    fc.double({ min: 1e-6, max: 1e20, noNaN: true }).map(String),
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 2n ** 60n }), fc.bigInt({ min: 0n, max: 10n ** 24n }))
    .map((two) => two.join('.')),
  ...[
    'true',
    'false',
    'null',
    '-0',
    '-0.0',
    '0.0',
    '00',
    '01',
    '-',
    '.5',
    '1.',
    '+1',
    '1e5',
    '1E-7',
    '1e999',
    '"1"',
    '{}',
  ],
  ...[
    '9007199254740991',
    '9007199254740993',
    '0.1e',
    `1${'0'.repeat(400)}`,
    `0.${'0'.repeat(30)}1`,
  ],
);
const sensor = fc.constantFrom(
  'OVEN',
  'SE-1',
  'DOOR',
  'SE-4',
  'Öfen\u{1F525}',
  '',
  'OLD',
  'nobody',
  'O\\u0056EN',
  'OVEN ',
);
const unit = fc.constantFrom('"Cel"', '"Cel"', '"°C"', '""', 'null', '"K"', '1', '"C\\u0065l"');
const quality = fc.constantFrom(
  '"good"',
  '"uncertain"',
  '"bad"',
  'null',
  '"superb"',
  '0',
  '"go\\u006fd"',
);
const field = fc.oneof(
  sensor.map((name) => `"sensor"@:@"${name}"`),
  at.map((text) => `"at"@:@${text}`),
  value.map((text) => `"value"@:@${text}`),
  unit.map((text) => `"unit"@:@${text}`),
  quality.map((text) => `"quality"@:@${text}`),
  fc.constantFrom(
    '"colour"@:@1',
    '"a\\u0074"@:@1600000000000',
    '"__proto__"@:@{}',
    '"sensors"@:@"OVEN"',
  ),
);
/** Usual ones, and others with fields that are missing, there twice, or in another order. */
const reading = mostly(
  fc
    .tuple(sensor, at, value)
    .map(([s, a, v]) => `{@"sensor"@:@"${s}"@,@"at"@:@${a}@,@"value"@:@${v}@}`),
  fc
    .tuple(fc.constantFrom('OVEN', 'Öfen\u{1F525}', 'SLASH'), at, value, unit, quality)
    .map(
      ([s, a, v, u, q]) =>
        `{@"quality"@:@${q}@,@"unit"@:@${u}@,@"value"@:@${v}@,@"at"@:@${a}@,@"sensor"@:@"${s}"@}`,
    ),
  fc
    .tuple(fc.array(field, { maxLength: 3 }), at, value, fc.array(field, { maxLength: 3 }))
    .map(
      ([before, a, v, after]) =>
        `{@${['"sensor"@:@"OVEN"', ...before, `"at":${a}`, `"value":${v}`, ...after].join('@,@')}@}`,
    ),
  ...['{}', '[]', '1', '""', 'null', '{@}'],
);
const blank = mostly(fc.constantFrom('', ' ', '\t'), '\n', '\r\n', '\v', '\u00a0');
const body = fc
  .tuple(fc.array(reading, { maxLength: 5 }), blank, fc.boolean())
  .map(([items, space, isLines]) => {
    const text = isLines ? `${items.join('\n')}\n` : `@{@"readings"@:@[@${items.join('@,@')}@]@}@`;
    return { text: text.replaceAll('@', space), isLines };
  });

describe('usual readings', () => {
  it('that are read from the bytes are those that the validator would keep, to the bit', () => {
    let usual = 0;
    const runs = propertyRuns(4000);
    fc.assert(
      fc.property(body, ({ text, isLines }) => {
        usual += compare(Buffer.from(text), isLines);
      }),
      runs,
    );
    expect(usual).toBeGreaterThan(runs.numRuns / 4);
  });

  it('are found the same in bodies that are cut off or damaged anywhere', () => {
    const harm = fc.array(
      fc.tuple(
        fc.nat(),
        fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(34, 44, 48, 57, 92, 123, 125)),
      ),
      { maxLength: 3 },
    );
    let usual = 0;
    const runs = propertyRuns(2000);
    fc.assert(
      fc.property(body, harm, fc.nat(), ({ text, isLines }, places, cut) => {
        const bytes = Buffer.from(text);
        for (const [place, byte] of places) bytes[place % bytes.length] = byte;
        usual += compare(bytes, isLines);
        usual += compare(bytes.subarray(0, cut % (bytes.length + 1)), isLines);
      }),
      runs,
    );
    expect(usual).toBeGreaterThan(runs.numRuns / 2);
  });

  it.each([
    '{"sensor":"OVEN","at":"2020-09-13T12:26:40.123Z","value":1.5}',
    '{"sensor":"OVEN","at":1600000000123,"value":1.5}',
  ])('are left to the validator if any byte of them is another one: %s', (item) => {
    const body = Buffer.from(`{"readings":[${item},${item}]}`);
    expect(compare(body, false)).toBe(2);
    for (let at = 0; at < body.length; at++) {
      for (const byte of [0, 32, 34, 44, 57, 58, 65, 93, 123, 125]) {
        const damaged = Buffer.from(body);
        damaged[at] = byte;
        compare(damaged, false);
      }
    }
  });

  it('have an instant of their own, whatever part of it is that of the one before', () => {
    const minutes = [
      '2020-09-13T12:26',
      '2020-09-13T12:27',
      '2020-09-14T12:26',
      '2020-02-30T12:26',
      '\0'.repeat(16),
    ];
    const items = minutes.flatMap((minute) =>
      [':00Z', ':59.5Z'].map((second) => `{"sensor":"OVEN","at":"${minute}${second}","value":1}`),
    );
    let usual = 0;
    for (const first of items) {
      for (const second of items)
        usual += compare(Buffer.from(`{"readings":[${first},${second},${first}]}`), false);
    }
    expect(usual).toBeGreaterThan(6 * 6 * 3);
  });

  it('are at most as many as a body may hold', () => {
    const item = '{"sensor":"OVEN","at":"2020-09-13T12:26:40.123Z","value":1}';
    for (const form of [item, item.replaceAll('":', '": ')]) {
      const bodyOf = (count: number) =>
        Buffer.from(`{"readings":[${Array(count).fill(form).join(',')}]}`);
      expect([compare(bodyOf(maxBatch), false), compare(bodyOf(maxBatch + 1), false)]).toEqual([
        maxBatch,
        maxBatch,
      ]);
    }
  });

  it('leave to the validator what no generator finds', () => {
    const readings = [
      '{"sensor":"SLASH","at":1600000000000,"value":1,"unit":"\\\\"}',
      '{"sensor":"FAR","at":1600000000000,"value":1}',
      '{"sensor":"OVEN","at":"1684-12-31T00:00:00Z","value":1}',
    ];
    for (const item of readings)
      expect([item, compare(Buffer.from(`{"readings":[${item}]}`), false)]).toEqual([item, 0]);
  });

  it('may be as long as any reading, and no longer', () => {
    for (const fill of [
      16_300, 16_328, 16_329, 16_333, 16_334, 16_335, 16_336, 16_337, 16_338, 16_339, 16_340,
      16_341, 16_342, 4000,
    ]) {
      const item = `{"sensor":"OVEN","at":1600000000000,"value"${' '.repeat(fill)}:1}`;
      expect(compare(Buffer.from(`{"readings":[${item}]}`), false)).toBe(
        item.length <= 16_384 ? 1 : 0,
      );
      compare(Buffer.from(`${item}\n${item}`), true);
      const digits = `{"sensor":"OVEN","at":"2020-09-13T12:26:40Z","value":1.${'0'.repeat(fill)}}`;
      expect(compare(Buffer.from(`{"readings":[${digits}]}`), false)).toBe(
        digits.length <= 16_384 ? 1 : 0,
      );
    }
  });
});

const lineNames = namesInLines(sensors);

/** Everything that lines lead to; gives how many took the short way. */
function compareLines(
  text: Buffer,
  precision: 'ns' | 'us' | 'ms' | 's' = 'ns',
  naming?: 'measurement.field' | 'sensor.field',
): number {
  let usual = 0;
  const [result, slowResult] = [true, false].map((isUsual) => {
    const validator = new ReadingValidator(4, sensors, time);
    const short = new UsualReadings(text, lineNames, validator);
    const taker = {
      add: short.add.bind(short),
      refuse: short.refuse.bind(short),
      addUsualLine(...at: Parameters<UsualReadings['addUsualLine']>) {
        const end = short.addUsualLine(...at);
        if (end > 0) usual++;
        return end;
      },
    };
    const lineNumbers: number[] = [];
    const hasSensor = (name: string) => sensors.has(name);
    const options = { precision, naming, nowUs, receiptUs: () => nowUs, hasSensor, lineNumbers };
    let thrown: string | undefined;
    try {
      finish(takeLines(text, options, isUsual ? taker : validator));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      thrown = error.message;
    }
    const { batch, positions, rejected } = validator;
    const rows = Buffer.from(batch.rows.buffer, 0, batch.count * 32).toString('hex');
    return { rows, positions: positions.slice(0, batch.count), rejected, lineNumbers, thrown };
  });
  expect({ text: text.toString('latin1'), ...result }).toEqual({
    text: text.toString('latin1'),
    ...slowResult,
  });
  return usual;
}

describe('usual lines of line protocol', () => {
  const tags = mostly(
    fc.constantFrom('m,sensor=OVEN', 'm,host=a,sensor=DOOR', 'Öfen,sensor=Öfen\u{1F525}'),
    ...['', 'm', ' m,sensor=OVEN', '#m,sensor=OVEN', '\ufeff#m,sensor=OVEN', ',sensor=OVEN'],
    ...['m,sensor=OLD', 'm,sensor=nobody', 'm,sensor=O\\ VEN', 'm,sensor=', 'm,sensor=FAR'],
    ...[
      'm,sensor=OVEN,sensor=DOOR',
      'm,a="b,sensor=OVEN',
      'm,a="b",sensor=OVEN',
      'm\u00a0,sensor=OVEN',
    ],
    ...[
      `m,x=${'y'.repeat(260)},sensor=OVEN`,
      'm,sensor=\ufffd',
      'm,sensor=OVEN,a',
      '\tm,sensor=OVEN',
    ],
  );
  const lineValue = mostly(value, '1i', '-2u', 't', 'FALSE', '1.5i', '"text"', '+1');
  const timestamp = mostly(
    fc
      .tuple(
        fc.integer({ min: 631_152_000, max: 1_795_335_300 }),
        fc.constantFrom('', '123', '123456', '123456789'),
      )
      .map((two) => two.join('')),
    ...[
      '1600000000123456789',
      '9999999999999999999',
      '99999999999999999999',
      '0600000000123456789',
    ],
    ...['', '-1', '1600000000123456789 ', '1.6e18', '160000000012345678a', '16000000001234567'],
  );
  const line = fc
    .tuple(
      tags,
      mostly(fc.constant(' value='), '  value=', ' values=', ' a=1,value='),
      lineValue,
      timestamp,
    )
    .map(([t, field, v, at]) => `${t}${field}${v} ${at}`);
  const lines = fc
    .array(fc.tuple(line, mostly(fc.constantFrom('\n', '\r\n'), '\r', '\r\r\n', '\n\n', '"\n')), {
      maxLength: 5,
    })
    .map((all) => all.flat().join(''));
  const precision = fc.constantFrom('ns', 'us', 'ms', 's');
  const naming = fc.constantFrom(undefined, undefined, 'sensor.field', 'measurement.field');

  it('lead to the same as on the long way, whole, cut off or damaged', () => {
    let usual = 0;
    const runs = propertyRuns(3000);
    fc.assert(
      fc.property(
        lines,
        precision,
        naming,
        fc.nat(),
        fc.nat({ max: 255 }),
        (text, unit, name, place, byte) => {
          const bytes = Buffer.from(text);
          usual += compareLines(bytes, unit, name);
          compareLines(bytes.subarray(0, place % (bytes.length + 1)), unit, name);
          if (bytes.length > 0) bytes[place % bytes.length] = byte;
          compareLines(bytes, unit, name);
        },
      ),
      runs,
    );
    expect(usual).toBeGreaterThan(runs.numRuns / 8);
  });

  it.each([
    ['ns', '1600000000123456789'],
    ['us', '1600000000123456'],
    ['ms', '1600000000123'],
    ['s', '1600000000'],
  ] as const)(
    'take the short way in %s, and are left to the validator if any byte is another one',
    (unit, at) => {
      const text = `m,host=a,sensor=OVEN value=1.5 ${at}\nm,host=a,sensor=DOOR value=-2 ${at}`;
      expect(compareLines(Buffer.from(text), unit)).toBe(2);
      for (let place = 0; place < text.length; place++) {
        for (const byte of [0, 10, 13, 32, 34, 35, 44, 48, 58, 61, 92, 105, 200]) {
          const damaged = Buffer.from(text);
          damaged[place] = byte;
          compareLines(damaged, unit);
        }
      }
    },
  );

  it('are known by more measurements than there are sensors, and at most as many as a body may hold', () => {
    const textOf = (count: number) =>
      Array.from(
        { length: count },
        (_, n) => `m${n % 100},sensor=OVEN value=${n} 1600000000123456789`,
      );
    expect(compareLines(Buffer.from(textOf(1000).join('\n')))).toBe(1000);
    expect(compareLines(Buffer.from(textOf(maxBatch).join('\n')))).toBe(maxBatch);
    expect(compareLines(Buffer.from(textOf(maxBatch + 1).join('\n')))).toBe(maxBatch);
  });
});
