import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonListReader } from '../../../src/core/items/json-list.ts';
import {
  CsvLines,
  LineProtocolLines,
  LineReader,
  plainLines,
} from '../../../src/core/items/lines.ts';
import type { ItemReader, ReaderOptions } from '../../../src/core/items/reader.ts';
import { piecesOf } from '../../formats/reading.ts';

const options: ReaderOptions = { longest: 16 * 1024, stepBytes: 16 * 1024 };
const readers: Readonly<Record<string, () => ItemReader>> = {
  'plain lines': () => new LineReader(plainLines, options),
  'line protocol': () => new LineReader(new LineProtocolLines(), options),
  CSV: () => new LineReader(new CsvLines(','), options),
  'a JSON list': () => new JsonListReader({ listName: 'a', isListAlone: true }, options),
};

/** Reads a text to its end, or to what cannot stand where it does; tells what was found, with the lines. */
function readAll(reader: ItemReader, pieces: readonly Buffer[]) {
  const items: [text: string, line: number][] = [];
  let steps = 0;
  let longCount = 0;
  let last: string | undefined;
  const readOn = () => {
    for (;;) {
      const found = reader.next();
      if (found === 'item' || found === 'member') items.push([reader.text(), reader.line]);
      else if (found === 'step') steps++;
      else if (found === 'too long') longCount++;
      else {
        last = found;
        return;
      }
    }
  };
  for (const piece of pieces) {
    reader.push(piece);
    readOn();
    if (last !== 'more') return { items, steps, longCount, last };
  }
  reader.finish();
  readOn();
  return { items, steps, longCount, last };
}

describe.each(Object.entries(readers))('a hostile text read as %s', (_, createReader) => {
  const length = 2 ** 17;
  const units = [
    ['quotes', '"'],
    ['doubled quotes and breaks', '""\n'],
    ['open quotes', '\t#" "\n'],
    ['quotes in fields', 'a" c="\n'],
    ['blanks', ' '],
    ['tabs and breaks', '\t\r\n'],
    ['line breaks', '\n'],
    ['carriage returns', '\r'],
    ['torn line breaks', '\r\r\n\r'],
    ['comments', '# "\n'],
    ['backslashes', '\\'],
    ['escaped quotes', '\\"'],
    ['escaped line breaks', 'a \\\n'],
    ['lists', '['],
    ['objects in objects', '{"a":'],
    ['closed lists', '[]'],
    ['tiny elements', '0,'],
    ['tiny lines', '0\n'],
    ['torn lines', '{"a\n'],
    ['commas', ','],
    ['open cells', '"a\n,'],
    ['one huge text', 'x'],
  ] as const;
  const heads = ['', '[', '[{"', '{"a":[', '["', 'm f="', '"', '"x\n'];

  it.each(units)('of %s pauses by the bytes, none of which is read more than twice', (__, unit) => {
    for (const head of heads) {
      const bytes = Buffer.from(head + unit.repeat(length / unit.length));
      for (const pieces of [[bytes], piecesOf(bytes, 1000)]) {
        const { items, steps, longCount, last } = readAll(createReader(), pieces);
        const read = last === 'wrong' ? 0 : bytes.length;
        const most = 2 * bytes.length + 128 * (items.length + longCount);
        expect(steps, head).toBeGreaterThanOrEqual(Math.floor(read / (64 * 1024)));
        expect(steps * options.stepBytes, head).toBeLessThanOrEqual(most);
      }
    }
  });

  it('is read alike however it is cut', () => {
    const piece = fc.constantFrom(...units.map(([, unit]) => unit), '"', 'é', ' ', ':', ']', '}');
    fc.assert(
      fc.property(
        fc.constantFrom(...heads),
        fc.array(piece, { maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (head, texts, size) => {
          const bytes = Buffer.from(head + texts.join(''));
          expect(readAll(createReader(), piecesOf(bytes, size))).toEqual(
            readAll(createReader(), [bytes]),
          );
        },
      ),
    );
  });
});

describe('lines', () => {
  const linesOf = (reader: LineReader, text: string) => readAll(reader, [Buffer.from(text)]).items;
  const plain = () => new LineReader(plainLines, options);
  const lineProtocol = () => new LineReader(new LineProtocolLines(), options);

  it('end with LF, CR LF, CR CR LF or CR, and all of them count', () => {
    expect(linesOf(plain(), 'a\nb\r\nc\r\r\nd\re\n\n\r\n\r\rf')).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
      ['e', 5],
      ['f', 10],
    ]);
  });

  it('of line protocol hold line breaks in texts of fields alone', () => {
    const text = 'm"\na b="c\nd" 1\n# "\n \t# e "\nf g="\\"\n" 2\n"h i="j\\\n';
    expect(linesOf(lineProtocol(), text)).toEqual([
      ['m"', 1],
      ['a b="c\nd" 1', 2],
      ['# "', 4],
      [' \t# e "', 5],
      ['f g="\\"\n" 2', 6],
      ['"h i="j\\', 8],
    ]);
  });

  it('end at their first break where no quote ends a text, as do all lines searched for one', () => {
    const open = 'a b="c\nd e=1\nf g="h"\n';
    expect(linesOf(lineProtocol(), open)).toHaveLength(3);
    const far = `a b="c\n${'d e=1\n'.repeat(4000)}f g="h\ni"\n`;
    expect(linesOf(lineProtocol(), far).slice(-1)).toEqual([['f g="h\ni"', 4002]]);
  });

  it('that are too long are passed over', () => {
    const { items, longCount } = readAll(plain(), [Buffer.from(`a\n${'x'.repeat(70_000)}\nb\n`)]);
    expect([items, longCount]).toEqual([
      [
        ['a', 1],
        ['b', 3],
      ],
      1,
    ]);
  });
});

describe('the elements of a list', () => {
  it('are those of the first member of a document, and members behind it', () => {
    const text = '{"\\u0061":[1,"b]",{"c":[2]},\n[]],"d":[3],"e" : 4}';
    const reader = new JsonListReader({ listName: 'a', isListAlone: false }, options);
    const { items, last } = readAll(reader, [Buffer.from(text)]);
    expect(last).toBe('end');
    expect(items.map(([item]) => item)).toEqual([
      '1',
      '"b]"',
      '{"c":[2]}',
      '[]',
      '"d":[3]',
      '"e" : 4',
    ]);
    expect(items[3]?.[1]).toBe(2);
  });

  it('count every line break before them', () => {
    const text = Buffer.from('[1,\n2,\r\n3,\r\r\n4,\r5,\r\r\r\n[\r6\r\n],\n\r7]');
    for (const size of [1, 2, 3, text.length]) {
      const reader = new JsonListReader({ listName: undefined, isListAlone: true }, options);
      expect(readAll(reader, piecesOf(text, size)).items.map(([, line]) => line)).toEqual([
        1, 2, 3, 4, 5, 7, 11,
      ]);
    }
  });
});
