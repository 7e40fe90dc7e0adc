import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Fault,
  longestItem,
  maxBatch,
  tooLong,
} from '../../../src/core/readings/rejections.ts';
import { ApiError } from '../../../src/http/answers/problem.ts';
import { finish } from '../../../src/http/fairness/slices.ts';
import { takeItems, type Wrapping } from '../../../src/http/ingest/items.ts';

const wrapping = { name: 'readings', expected: 'One list.' };
const bare = { name: undefined, expected: 'A list.' };
const padding = ' '.repeat(40_000);

const read = (text: string, shape: Wrapping | undefined): unknown[] => {
  const items: unknown[] = [];
  const add = (item: unknown) => items.push(item);
  const refuse = (_: number, { code }: Fault) => items.push(code);
  finish(takeItems(Buffer.from(text), shape, { add, refuse }));
  return items;
};
const itemsOf = (text: string) => read(text, wrapping);
const itemsOfList = (text: string) => read(text, bare);
const itemsOfLines = (text: string) => read(text, undefined);

/** The code of the error that a text causes. */
function codeOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (thrown) {
    return thrown instanceof ApiError ? thrown.code : String(thrown);
  }
  return undefined;
}

describe('the items of a long text', () => {
  const nasty = fc.oneof(
    fc.jsonValue(),
    fc.string().map((text) => ({ [`${text}"],[{\\`]: `\\"]},{${text}\\` })),
  );

  it('are the same as those of parsing it as a whole, for any items and any layout', () => {
    fc.assert(
      fc.property(
        fc.array(nasty, { maxLength: 40 }),
        fc.constantFrom(undefined, 2, '\r\n\t'),
        (items, space) => {
          const filled = [
            ...items,
            'x'.repeat(10_000),
            ...items,
            'y'.repeat(15_000),
            'z'.repeat(15_000),
            ...items,
          ];
          const expected: unknown = JSON.parse(JSON.stringify(filled));
          expect(itemsOf(JSON.stringify({ readings: filled }, null, space))).toEqual(expected);
          expect(itemsOfList(JSON.stringify(filled, null, space))).toEqual(expected);
        },
      ),
    );
  });

  it('are refused as invalid JSON where a short text is', () => {
    const broken = [
      '[1,,2]',
      '[1,]',
      '[,1]',
      '[1 2]',
      '[{]',
      '[}',
      '[1}',
      '["',
      '["\\"]',
      '[1]]',
      '[tru]',
      '[01]',
      '[',
      '[1]x',
    ];
    for (const list of broken) {
      for (const text of [`{"readings":${list}`, `{"readings":${list}}`]) {
        expect([text, codeOf(() => itemsOf(text))]).toEqual([text, 'bad_json']);
        expect([
          text,
          codeOf(() => itemsOf(`{"readings":${padding}${list}${text.endsWith('}') ? '}' : ''}`)),
        ]).not.toEqual([text, undefined]);
        const long = text.replace('[', `[${'"a",'.repeat(9000)}`);
        expect([text, codeOf(() => itemsOf(long))]).toEqual([text, 'bad_json']);
      }
    }
    expect(itemsOf(`{"readings":[${padding}]}`)).toEqual([]);
    expect(itemsOf(`${padding}{ "readings" : [ 1 ] }${padding}`)).toEqual([1]);
  });

  it('of another shape are invalid_body, and invalid JSON is bad_json', () => {
    const shapes = [
      `[${padding}]`,
      `{"a":1,${padding}"readings":[]}`,
      `{"heartbeats":[${padding}]}`,
      `"${padding}"`,
      `1${'0'.repeat(40_000)}`,
    ];
    for (const text of [
      ...shapes,
      `{"readings":[1],"more":"${padding}"}`,
      `{"readings":[${padding}],"readings":[]}`,
    ]) {
      expect([text.slice(0, 30), codeOf(() => itemsOf(text))]).toEqual([
        text.slice(0, 30),
        'invalid_body',
      ]);
    }
    for (const text of [
      padding,
      `x${padding}`,
      `{"a":1,${padding}`,
      `[${padding}`,
      `[${padding}]]`,
    ]) {
      expect([text.slice(0, 30), codeOf(() => itemsOf(text))]).toEqual([
        text.slice(0, 30),
        'bad_json',
      ]);
    }
  });

  it('are counted before any of them is parsed', () => {
    const most = `{"readings":[${'{},'.repeat(maxBatch - 1)}{}${padding}]}`;
    expect(itemsOf(most).length).toBe(maxBatch);
    // The last one is not JSON, which parsing would find.
    expect(
      codeOf(() => itemsOf(`{"readings":[${'{},'.repeat(maxBatch)}nonsense${padding}]}`)),
    ).toBe('too_large');
    expect(codeOf(() => itemsOfList(`[${'{},'.repeat(maxBatch)}nonsense${padding}]`))).toBe(
      'too_large',
    );
    expect(codeOf(() => itemsOfLines(`${'{}\n'.repeat(maxBatch)}{}`))).toBe('too_large');
    expect(itemsOfLines('{}\n\n \r\n'.repeat(maxBatch)).length).toBe(maxBatch);
  });

  it('are not parsed where one alone is longer than any valid item', () => {
    const long = `{"a":"${'x'.repeat(longestItem)}","b":nonsense}`;
    const list = `[${padding}]`;
    expect(itemsOf(`{"readings":[1,${long},{"a":2}, ${list},3]}`)).toEqual([
      1,
      tooLong,
      { a: 2 },
      null,
      3,
    ]);
    expect(codeOf(() => itemsOf(`{"readings":[${long}, ,${long}, ${long}]}`))).toBe('bad_json');
    expect(codeOf(() => itemsOf(`{"readings":[${long},${long}, ]}`))).toBe('bad_json');
    expect(itemsOfLines(`{}\n${long}\n{}`)).toEqual([{}, tooLong, {}]);
  });

  it.each([
    ['{"a":1,"a":1}', 'bad_json'],
    ['{"a":1,"\\u0061":2}', 'bad_json'],
    ['{"a":{"b":1,"b":2}}', 'bad_json'],
    ['{"a":[{"":1,"":2}]}', 'bad_json'],
    ['{"__proto__":1,"__proto__":2}', 'bad_json'],
    ['{"a":":","b":"\\":","c":{"a":[":"]}}', undefined],
    ['{"__proto__":1,"a":{"a":{}}}', undefined],
  ])('are refused one by one if an object has a member twice: %s', (item, code) => {
    const expected = [{}, code ?? JSON.parse(item), {}];
    expect(itemsOf(`{"readings":[{},${item},{}]}`)).toEqual(expected);
    expect(itemsOfList(`[{},${item},{}]`)).toEqual(expected);
    expect(itemsOfLines(`{}\n${item}\n{}`)).toEqual(expected);
  });

  it('are parsed in many steps', () => {
    const body = Buffer.from(`{"readings":[${'{"sensor":"a"},'.repeat(9_999)}{}]}`);
    const work = takeItems(body, wrapping, { add() {}, refuse() {} });
    let count = 0;
    while (!work.next().done) count++;
    expect(count).toBeGreaterThan(15);
  });

  const mebibytes = 2 ** 20;
  const escapes = '\\"'.repeat(4 * mebibytes);
  const line = `${JSON.stringify({ sensor: 'x'.repeat(16_000) })}\n`;
  it.each([
    ['lines that are nearly too long', line.repeat(500), undefined],
    ['line breaks and no lines', '\n'.repeat(8 * mebibytes), undefined],
    ['line breaks before what is not JSON', `${'\n'.repeat(8 * mebibytes)}x`, undefined],
    ['line breaks before a body that is not JSON', `${'\n'.repeat(8 * mebibytes)}x`, wrapping],
    ['blanks before a body', `${' '.repeat(8 * mebibytes)}{"readings":[]}`, wrapping],
    ['blanks in a list', `{"readings":[${' '.repeat(8 * mebibytes)}]}`, wrapping],
    ['blanks in a long list', `{"readings":[1,${' '.repeat(8 * mebibytes)}{}]}`, wrapping],
    ['blanks behind a list', `{"readings":[]${' '.repeat(8 * mebibytes)}}`, wrapping],
    ['blanks behind a list of another shape', `[1]${' '.repeat(8 * mebibytes)}`, wrapping],
    [
      'blanks before a second member',
      `{"readings":[]${' '.repeat(8 * mebibytes)},"a":1}`,
      wrapping,
    ],
    ['a long name', `{"${escapes}":[]}`, wrapping],
    ['a text full of escaped quotes', `{"readings":[{"a":"${escapes}"}]}`, wrapping],
    ['a text full of escaped quotes without its end', `{"readings":[{"a":"${escapes}`, wrapping],
  ])('take many steps where they are %s', (_, text, shape) => {
    let count = 0;
    try {
      const work = takeItems(Buffer.from(text), shape, { add() {}, refuse() {} });
      while (!work.next().done) count++;
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(ApiError);
    }
    expect(count).toBeGreaterThan(30);
  });

  it('have strings that end where a step does, or a character before or after', () => {
    for (let shift = -6; shift <= 6; shift++) {
      const [list, item] = ['{"readings":[', '{"a":"'];
      const start = list + item;
      // A step of the scan begins with the list.
      const text = 'x'.repeat(shift & 1) + '\\"'.repeat((256 * 1024 - item.length + shift) >> 1);
      for (const ends of ['', '\\\\', '\\"', '\\\\\\"', 'x\\"']) {
        const body = `${start}${text}${ends}"},{"a":"${'\\"'.repeat(200_000)}"},2]}`;
        expect(itemsOf(body), `${shift} ${ends}`).toEqual([tooLong, tooLong, 2]);
        expect(JSON.parse(body).readings).toHaveLength(3);
      }
    }
  });
});

describe('lines', () => {
  it('are read one by one, without blank ones', () => {
    expect(itemsOfLines('\n\n{"a":1}\r\n {"b":2} \n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it.each([
    ['a torn one', '{"a":1}\n{"a":\n{"b":2}', [{ a: 1 }, 'bad_json', { b: 2 }]],
    ['two that were torn apart', '{"a":1}\n{"a":\n1}', [{ a: 1 }, 'bad_json', 'bad_json']],
    ['two objects', '{"a":1}{"a":2}\n{"b":2}', ['bad_json', { b: 2 }]],
    ['a list', '[{"a":1}]\n{"b":2}', ['bad_json', { b: 2 }]],
    ['numbers and texts', '1\n"x"\nnull', ['bad_json', 'bad_json', 'bad_json']],
    ['a word', '{"a":1}\nnonsense', [{ a: 1 }, 'bad_json']],
  ])('are refused one by one: %s', (_, text, expected) => {
    expect(itemsOfLines(text)).toEqual(expected);
  });

  it.each(['{', '1,\n2,\nx,', '{"a":\n1}', ''])(
    'are refused as a whole if none is JSON: %j',
    (text) => {
      expect(codeOf(() => itemsOfLines(text))).toBe('bad_json');
    },
  );

  it('that are not JSON are reported by the number of the first', () => {
    expect(() => itemsOfLines('\n\n  \n{"a\n{')).toThrow(
      'The body is not NDJSON: line 4, column 4.',
    );
  });
});
