import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sensor } from '../../../src/core/port/readings.ts';
import { ReadingValidator } from '../../../src/core/readings/readings.ts';
import { ApiError } from '../../../src/http/answers/problem.ts';
import { finish } from '../../../src/http/fairness/slices.ts';
import { type LineOptions, takeLines } from '../../../src/http/ingest/line-protocol.ts';
import { parseLine } from '../../../src/http/ingest/line-syntax.ts';

const nowMs = Date.UTC(2026, 10, 20, 8, 15);
const nowUs = nowMs * 1000;
const sensors = new Map(
  ['A', 'sp ace', 'co,mma', 'm.temp', 'm.on', 'm.i'].map((code, place): [string, Sensor] => [
    code,
    { series: place + 1, id: code, code, unit: null, isActive: true, silentAfter: null },
  ]),
);

function take(text: string | Buffer, options: Partial<LineOptions> = {}) {
  const time = { nowUs, retainedFromUs: Number.NEGATIVE_INFINITY };
  const validator = new ReadingValidator(4, sensors, time);
  let receipt = nowUs;
  const all: LineOptions = {
    precision: 'ns',
    naming: undefined,
    nowUs,
    receiptUs: () => ++receipt,
    hasSensor: (name) => sensors.has(name),
    ...options,
  };
  finish(takeLines(Buffer.from(text), all, validator));
  const { batch, positions, rejected } = validator;
  const rows = Array.from({ length: batch.count }, (_, n) => [
    ...batch.rows.slice(4 * n, 4 * n + 4),
  ]);
  return { rows, positions: [...positions.slice(0, batch.count)], rejected };
}

/** The value of a line of sensor A, or the code of its rejection. */
function outcomeOf(line: string, options?: Partial<LineOptions>): number | string | undefined {
  const { rows, rejected } = take(`m,sensor=A value=1 ${nowMs}000000\n${line}`, options);
  return rejected[0]?.code ?? rows[1]?.[2];
}

const at = '1795162500123456789';

describe('a line of line protocol', () => {
  it.each([
    [`m,sensor=A value=1.5 ${at}`, 1.5],
    [`m,sensor=A value=-2e3 ${at}`, -2000],
    [`m,sensor=A value=3i ${at}`, 3],
    [`m,sensor=A value=4u ${at}`, 4],
    [`m,sensor=A value=.5 ${at}`, 0.5],
    [`m,sensor=A value=t ${at}`, 1],
    [`m,sensor=A value=FALSE ${at}`, 0],
    [`m,sensor=A,host=x\\ y,a\\=b=c value=1 ${at}`, 1],
    [`m,host=x,sensor=A note="a, b=\\"c\\" # d",value=2 ${at}`, 2],
    [`m,sensor=A note="two\nlines",value=2 ${at}`, 2],
    [`m\\ n\\,o,sensor=A value=2 ${at}`, 2],
    [`m,sensor=A value=2   ${at}\r`, 2],
    [`  m,sensor=A value=2 ${at}  `, 2],
    ['m,sensor=A value=6', 6],
    [`m,sensor=sp\\ ace value=7 ${at}`, 7],
    [`m,sensor=co\\,mma value=8 ${at}`, 8],
    [`m,sensor=nobody value=1 ${at}`, 'unknown_sensor'],
    [`m value=1 ${at}`, 'missing_field'],
    [`m,sensor=A other=1 ${at}`, 'missing_field'],
    [`m,sensor=A value="1" ${at}`, 'invalid_value'],
    [`m,sensor=A value=1e999 ${at}`, 'invalid_value'],
    [`m,sensor=A value=1,quality="superb" ${at}`, 'invalid_quality'],
    [`m,sensor=A value=1,quality=1 ${at}`, 'invalid_quality'],
    ['m,sensor=A value=1 1795162500', 'invalid_at'],
    ['m,sensor=A value=1 17s', 'invalid_at'],
    ['m,sensor=A value=1 1.5', 'invalid_at'],
    ['m,sensor=A value=1 0', 'invalid_at'],
    ['m,sensor=A value=1 -5', 'invalid_at'],
    ['m,sensor=A value=1 1895162500000000000', 'in_future'],
    ['m,sensor="A" value=1', 'unknown_sensor'],
    [`m,sensor=A,site="A" value=2 ${at}`, 2],
    [`m,sensor=A,site="A value=2 ${at}`, 2],
    [`m,sensor=A "a"=1,value=2 ${at}`, 2],
    [`m,sensor=A,site="A 1" value=2 ${at}`, 'invalid_reading'],
    [`m,sensor=A,sensor=B value=2 ${at}`, 'invalid_reading'],
    [`m,sensor=A value=1,value=2 ${at}`, 'invalid_reading'],
    ['m,sensor=A', 'invalid_reading'],
    ['m,sensor=A value=', 'invalid_reading'],
    ['m,sensor=A value=abc', 'invalid_reading'],
    ['m,sensor=A value=1i5', 'invalid_reading'],
    ['m,sensor=A value="open', 'invalid_reading'],
    ['m,sensor= value=1', 'invalid_reading'],
    [',sensor=A value=1', 'invalid_reading'],
    ['{"sensor":"A"}', 'invalid_reading'],
    [`m,sensor=A value=1,note="${'x'.repeat(17_000)}"`, 'invalid_reading'],
  ])('%j → %j', (line, outcome) => {
    expect(outcomeOf(line)).toBe(outcome);
  });

  it('says that the tag is missing, where a client of InfluxDB would look for a field', () => {
    for (const naming of [undefined, 'sensor.field'] as const) {
      const { rejected } = take(`m,sensor=A value=1\ncpu,host=g value=1\n`, { naming });
      expect(rejected.map(({ detail }) => detail)).toEqual([
        'The line has no tag "sensor", which names the sensor.',
      ]);
    }
  });

  it('says what quotes in a tag do', () => {
    const good = `m,sensor=A value=1 ${at}\n`;
    const detailOf = (line: string) => take(good + line).rejected[0]?.detail;
    expect(detailOf('m,sensor=A,site="A 1" value=2')).toMatch(
      /column 12: the tag "site=\\"A" ends inside quotes: write it without them, with \\ before/,
    );
    for (const site of ['"A, 1"', '"A,1"', '"A=1 2"', '"A 1 2"'])
      expect(detailOf(`m,sensor=A,site=${site} value=2`)).toContain('ends inside quotes');
    expect(detailOf('m,sensor="A" value=2')).toContain('Send it without the quotes inside.');
    expect(detailOf("m,sensor='A' value=2")).toContain('Send it without the quotes inside.');
  });

  it('keeps its quality, and its instant to the microsecond in each precision', () => {
    const { rows } = take(`m,sensor=A value=1,quality="bad" ${at}`);
    expect(rows).toEqual([[1, 1_795_162_500_123_456, 1, 3]]);
    const instantOf = (digits: string, precision: LineOptions['precision']) =>
      take(`m,sensor=A value=1 ${digits}`, { precision }).rows[0]?.[1];
    expect(instantOf('1795162500123456', 'us')).toBe(1_795_162_500_123_456);
    expect(instantOf('1795162500123', 'ms')).toBe(1_795_162_500_123_000);
    expect(instantOf('1795162500', 's')).toBe(1_795_162_500_000_000);
  });

  it('says which precision its timestamp has', () => {
    const detailOf = (digits: string, precision: LineOptions['precision']) =>
      take(`m,sensor=A value=1 ${digits}`, { precision }).rejected[0]?.detail;
    expect(detailOf('1795162500', 'ns')).toContain('send ?precision=s');
    expect(detailOf('1795162500123', 'ns')).toContain('send ?precision=ms');
    expect(detailOf('1795162500123456', 'ns')).toContain('send ?precision=us');
    expect(detailOf(at, 'ms')).toContain('send ?precision=ns');
    expect(detailOf('1795162500123', 's')).toMatch(/ahead and .*: send \?precision=ms\.$/);
  });

  it('without a timestamp has the time of receipt, each a later one', () => {
    const { rows } = take('m,sensor=A value=1\nm,sensor=A value=2');
    expect(rows.map(([, atUs]) => atUs)).toEqual([nowUs + 1, nowUs + 2]);
  });
});

describe('lines', () => {
  it('are counted without blank ones and comments, with any line break', () => {
    const text = `# a\r\n\r\nm,sensor=A value=1\r\n\n#b "\nnonsense\n \nm,sensor=nobody value=1\nm,sensor=A value=3`;
    const { positions, rejected } = take(text);
    expect(positions).toEqual([0, 3]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'invalid_reading'],
      [2, 'unknown_sensor'],
    ]);
  });

  it('behind a quote without its end are read by themselves', () => {
    const { positions, rejected } = take('m,sensor=A note="open,value=1\nm,sensor=A value=2');
    expect([positions, rejected.map(({ index }) => index)]).toEqual([[1], [0]]);
  });

  it.each(['', '\n\n', '# only this', 'nonsense', '{"readings":[]}', '<html>'])(
    'are refused as a whole if none is one: %j',
    (text) => {
      expect(() => take(text)).toThrow(ApiError);
    },
  );

  it.each([
    ['nonsense', 'line 1, column 9: the line has no fields.'],
    ['# a\n\n  m,sensor=A value=abc', 'line 3, column 14: the field "value=abc" needs'],
    ['m,sensor=A value=1,note=x y', 'line 1, column 20: the field "note=x" needs'],
    ['m,sensor= value=1', 'line 1, column 3: the tag "sensor=" needs'],
    ['m,a=b,=c value=1', 'line 1, column 7: the tag "=c" needs'],
    [',sensor=A value=1', 'line 1, column 1: the measurement is missing.'],
    ['m,sensor=A', 'line 1, column 11: the line has no fields.'],
  ])('are refused with the place and a line that is right: %j', (text, detail) => {
    expect(() => take(text)).toThrow(`not line protocol: ${detail}`);
    expect(() => take(text)).toThrow(/A line looks like this: oven,sensor=\S+ value=/);
  });

  it('hold at most 10,000 readings', () => {
    const lines = (count: number) => 'm,sensor=A value=1\n'.repeat(count);
    expect(take(lines(10_000)).rows).toHaveLength(10_000);
    expect(() => take(lines(10_001))).toThrow('10000 readings');
    const fields = 'm temp=1,i=2\n'.repeat(5001);
    expect(() => take(fields, { naming: 'measurement.field' })).toThrow('10000 readings');
  });

  it('name sensors by the tag, and by the tag and the other fields', () => {
    const text = [
      `x,sensor=A value=1.5,quality="bad" ${at}`,
      `x,sensor=m temp=2,on=t,other=f,text="x" ${at}`,
      `x,sensor=A value=t,temp=4 ${at}`,
      'x temp=1',
      'x,sensor=A text="x"',
      'x,sensor=A value="7"',
    ].join('\n');
    const { rows, positions, rejected } = take(text, { naming: 'sensor.field' });
    expect(rows.map(([series, , value, quality]) => [series, value, quality])).toEqual([
      [1, 1.5, 3],
      [4, 2, 0],
      [5, 1, 0],
      [1, 1, 0],
    ]);
    expect(positions).toEqual([0, 1, 1, 2]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [2, 'unknown_sensor'],
      [3, 'missing_field'],
      [4, 'missing_field'],
      [5, 'invalid_value'],
    ]);
  });

  it('name a sensor by measurement and field: numbers, and booleans that have a sensor', () => {
    const text = `m,sensor=A temp=1.5,on=t,i=2i,text="x",flag=f ${at}\nn temp=1\nm text="x"`;
    const { rows, positions, rejected } = take(text, { naming: 'measurement.field' });
    expect(rows.map(([series, , value]) => [series, value])).toEqual([
      [4, 1.5],
      [5, 1],
      [6, 2],
    ]);
    expect(positions).toEqual([0, 0, 0]);
    expect(rejected.map(({ index, code }) => [index, code])).toEqual([
      [1, 'unknown_sensor'],
      [2, 'missing_field'],
    ]);
  });
});

it('what is written as line protocol is parsed as it was', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 8 })
    .filter((text) => /^[^\\\n\r"]+$/.test(text));
  const text = fc
    .string({ maxLength: 12 })
    .filter((one) => !one.endsWith('\\') && !/[\n\r]/.test(one));
  const key = (word: string) => word.replace(/[,= ]/g, '\\$&');
  const value = (one: unknown) =>
    typeof one === 'string' ? `"${one.replace(/["\\]/g, '\\$&')}"` : String(one);
  const values = fc.oneof(
    text,
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  );
  const pairs = <T>(of: fc.Arbitrary<T>, minLength: number) =>
    fc.uniqueArray(fc.tuple(name, of), { minLength, maxLength: 4, selector: ([word]) => word });
  fc.assert(
    fc.property(name, pairs(name, 0), pairs(values, 1), (measurement, tags, fields) => {
      const line =
        measurement.replace(/[, ]/g, '\\$&') +
        tags.map(([word, tag]) => `,${key(word)}=${key(tag)}`).join('') +
        ` ${fields.map(([word, field]) => `${key(word)}=${value(field)}`).join(',')} 17`;
      expect(parseLine(line)).toEqual({
        measurement,
        tags: new Map(tags),
        fields: new Map(fields),
        timestamp: '17',
      });
    }),
  );
});

it('nothing makes the parser throw, or take long', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'a",= \\\n#1tf{') }), (text) => {
      expect(parseLine(text)).toBeTypeOf('object');
    }),
  );
  const beganMs = performance.now();
  for (const part of ['"', '\\', 'a,', ',=', ' '])
    expect(parseLine(part.repeat(16_000 / part.length))).toHaveProperty('rule');
  expect(parseLine(`m value=${'1'.repeat(200_000)}e`)).toHaveProperty('rule');
  expect(performance.now() - beganMs).toBeLessThan(200);
});

it('no sensor is looked up by a name that is longer than any', () => {
  const lookedUp: string[] = [];
  const hasSensor = (name: string) => lookedUp.push(name) === 0;
  const lines = ['A', 'x'.repeat(300)].map((tag) => `m,sensor=${tag} on=t,value=1 ${at}`);
  take(lines.join('\n'), { naming: 'sensor.field', hasSensor });
  expect(lookedUp).toEqual(['A.on']);
});
