import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/http/fairness/slices.ts';
import { takeItems, type Wrapping } from '../../../src/http/ingest/items.ts';
import { faultIn } from '../../../src/http/ingest/json-faults.ts';
import { propertyRuns } from '../../properties.ts';

/** The offset of the first character that cannot continue JSON; the length if the text ends too early, or is JSON. */
const faultOf = (text: string) => {
  const body = Buffer.from(text);
  const fault = finish(faultIn(body, 0, body.length)) ?? body.length;
  return body.toString('utf8', 0, fault).length;
};
const wrapping = { name: 'readings', expected: 'One list.' };
const messageOf = (text: string, shape?: Wrapping) => {
  try {
    finish(takeItems(Buffer.from(text), shape, { add() {}, refuse() {} }));
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : thrown;
  }
  return undefined;
};
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const at = (line: number, column: number) =>
  `The body is not JSON: line ${line}, column ${column}.`;

describe('the place where a text stops being JSON', () => {
  it.each([
    ['', 0],
    ['  ', 2],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[01]', 2],
    ['[1.]', 2],
    ['[tru]', 4],
    ['[NaN]', 1],
    ['["\\x"]', 2],
    ['["a\nb"]', 3],
    ['["a', 3],
    ['{"a":[1,2', 9],
    ['[]]', 2],
    ['{}{}', 2],
    ['[1}', 2],
  ])('of %j is %d', (text, offset) => {
    expect(faultOf(text)).toBe(offset);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });

  it('is its end for every text that is JSON, and before its end for one with a broken character', () => {
    const json = fc
      .tuple(fc.jsonValue(), fc.constantFrom(undefined, 2))
      .map(([value, space]) => JSON.stringify(value, null, space));
    fc.assert(
      fc.property(json, fc.nat(), (text, position) => {
        expect(faultOf(text)).toBe(text.length);
        const cut = position % (text.length + 1);
        const fault = faultOf(`${text.slice(0, cut)}\u0001${text.slice(cut)}`);
        // A broken escape or number is reported from its first character that fits nothing.
        expect(fault).toBeLessThanOrEqual(cut);
        expect(fault).toBeGreaterThanOrEqual(cut - 5);
      }),
    );
  });
});

describe('a body that is not JSON is refused with line and column', () => {
  const readings = (item: string, count: number) =>
    `{\n  "readings": [\n${Array.from({ length: count }, (_, n) => (n === count - 2 ? item : '    {"value": 1}')).join(',\n')}\n  ]\n}`;

  it.each([3, 5000])('in an item of %d', (count) => {
    expect(messageOf(readings('    {"value": 1,}', count), wrapping)).toBe(at(count + 1, 17));
    expect(messageOf(readings('    {"value": nil}', count), wrapping)).toBe(at(count + 1, 16));
  });

  it.each([
    ['nan', 16],
    ['NaN', 15],
    ['-Infinity', 15],
    ['inf', 15],
    ['None', 15],
    ['undefined', 15],
  ])('which says that JSON has no %s', (word, column) => {
    expect(messageOf(readings(`    {"value": ${word}}`, 3), wrapping)).toBe(
      `${at(4, column)} JSON has no ${word}; leave out a reading without a value.`,
    );
  });

  it.each([3, 5000])('at its end, with %d items', (count) => {
    const whole = readings('    {}', count);
    expect(messageOf(whole.slice(0, -3), wrapping)).toBe(at(count + 3, 3));
    expect(messageOf(`${whole}x`, wrapping)).toBe(at(count + 4, 2));
  });

  it.each([3, 5000])(
    'where a quote or bracket is missing, which shows later, with %d items',
    (count) => {
      expect(messageOf(readings('    {"value": "1}', count), wrapping)).toBe(at(count + 1, 19));
      expect(messageOf(readings('    {"value": [1}', count), wrapping)).toBe(at(count + 1, 17));
      expect(messageOf(readings('    {"value": 1', count), wrapping)).toBe(at(count + 2, 5));
      expect(messageOf(readings('    "value": 1}', count), wrapping)).toBe(at(count + 1, 12));
    },
  );

  it('behind characters of several bytes', () => {
    expect(messageOf('{"readings":[{"°C 😀":"µ" 1}]}', wrapping)).toBe(at(1, 27));
    expect(messageOf('{"readings":[{"°C 😀":1},x]}', wrapping)).toBe(at(1, 26));
  });

  it('as if it was parsed as a whole, wherever it is damaged or cut off', () => {
    const items = fc.array(fc.oneof(fc.jsonValue(), fc.constant({ value: 1 })), { maxLength: 5 });
    const spaces = fc.constantFrom(undefined, 1);
    let broken = 0;
    const runs = propertyRuns(2000);
    fc.assert(
      fc.property(
        items,
        spaces,
        fc.nat(),
        fc.constantFrom('"', '{', '}', ']', ',', ':', '1', '\\', 'x', ''),
        (all, space, somewhere, char) => {
          const whole = JSON.stringify({ readings: all }, null, space);
          const place = somewhere % whole.length;
          for (const text of [
            whole.slice(0, place) + char,
            whole.slice(0, place) + char + whole.slice(place + 1),
          ]) {
            const fault = faultOf(text);
            const message = messageOf(text, wrapping);
            if (isJson(text)) expect([undefined, wrapping.expected]).toContain(message);
            else if (text.trim() === '') expect(message).toMatch('is empty');
            else {
              broken++;
              const before = text.slice(0, fault).split('\n');
              expect([text, message]).toEqual([
                text,
                at(before.length, (before.at(-1)?.length ?? 0) + 1),
              ]);
            }
          }
        },
      ),
      runs,
    );
    expect(broken).toBeGreaterThan(runs.numRuns / 2);
  });

  it('after many blank lines', () => {
    expect(messageOf(`${'\n'.repeat(40_000)}  x`, wrapping)).toBe(at(40_001, 3));
  });

  it('in a line of NDJSON', () => {
    const inLines = (line: number, column: number) => at(line, column).replace('JSON', 'NDJSON');
    expect(messageOf('\n\n {"a":}\n')).toBe(inLines(3, 7));
    expect(messageOf('\n{"a":\n1}\n')).toBe(inLines(2, 6));
  });
});
