import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ReadOptions } from '../../src/core/records/imports.ts';
import { readReadings } from '../../src/formats/readings.ts';
import { read } from './reading.ts';

/** Reads readings in pieces of several sizes and finds the same each time. */
async function readingsOf(text: string, options: ReadOptions = {}) {
  const bytes = Buffer.from(text);
  const results = [];
  for (const size of [1, 3, 1 << 16]) {
    const items: unknown[] = [];
    const faults: unknown[] = [];
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    for await (const rows of readReadings(pieces(), options)) {
      items.push(...rows.items);
      faults.push(...rows.faults);
    }
    results.push({ items, faults });
  }
  for (const result of results) expect(result).toEqual(results[0]);
  return results[0] ?? { items: [], faults: [] };
}

/** Two rows of a table, as lines with their cells. */
type TableText = readonly (readonly string[])[];

const parts: TableText = [
  ['id', 'name', 'part_number', 'is_active'],
  ['A', 'x', '1', 'true'],
  ['B', 'y', '2', 'false'],
];
const readings: TableText = [
  ['sensor', 'at', 'value', 'quality'],
  ['OVEN', '1795162500000', '1.5', 'good'],
  ['DOOR', '1795162500001', 'true', 'bad'],
];

const joined = (table: TableText, separator = ',', end = '\n') =>
  table.map((row) => row.join(separator) + end).join('');
const cells = (table: TableText, change: (cell: string) => string) =>
  table.map((row) => row.map(change));
const rows = (
  table: TableText,
  change: (row: readonly string[], at: number) => readonly string[],
) => table.map(change);
const blank = (table: TableText) => (table[0] ?? []).map(() => '');

/** What programs and people do to a table that keeps its meaning. */
const changes: Record<string, (table: TableText) => string> = {
  'padded cells': (table) => joined(cells(table, (cell) => `\u3000 ${cell} \u00a0\u2009`)),
  'padding around quotes': (table) => joined(cells(table, (cell) => ` "${cell}" `)),
  'padding inside quotes': (table) => joined(cells(table, (cell) => `" ${cell}\t"`)),
  'empty lines': (table) => `\n\n${table.map((row) => `${row.join(',')}\n\n`).join('')}\n`,
  'blank lines': (table) => `  \n${table.map((row) => `${row.join(',')}\n \t \n`).join('')}`,
  'rows of separators': (table) =>
    joined([blank(table), ...table.flatMap((row) => [row, blank(table)])], ';'),
  'rows of separators and blanks': (table) =>
    joined(table.flatMap((row) => [row, row.map(() => ' ')])),
  'rows of quotes': (table) => joined(table.flatMap((row) => [row, row.map(() => '""')])),
  'headers in capitals': (table) =>
    joined(rows(table, (row, at) => (at === 0 ? row.map((name) => name.toUpperCase()) : row))),
  'headers as people write them': (table) =>
    joined(
      rows(table, (row, at) => (at === 0 ? row.map((name) => ` ${name.replace('_', ' ')}`) : row)),
    ),
  'quoted headers': (table) =>
    joined(rows(table, (row, at) => (at === 0 ? row.map((name) => `"${name}"`) : row))),
  'a separator that is declared': (table) => `sep=;\r\n${joined(table, ';', '\r\n')}`,
  'a separator that is declared in quotes': (table) => `"sep=;"\n${joined(table, ';')}`,
  'a separator that is declared in capitals': (table) => `SEP=|\n${joined(table, '|')}`,
  'a declared tab': (table) => `sep=\t\n${joined(table, '\t')}`,
  'a declaration that was saved as a row': (table) => `"sep=,",,,\n${joined(table)}`,
  'a declaration between blank rows': (table) => `\n;;;\nsep=;\n\n${joined(table, ';')}`,
  'CR LF': (table) => joined(table, ',', '\r\n'),
  'CR CR LF': (table) => joined(table, ',', '\r\r\n'),
  'quotes before CR CR LF': (table) =>
    joined(
      cells(table, (cell) => `"${cell}"`),
      ',',
      '\r\r\n',
    ),
  CR: (table) => joined(table, ',', '\r'),
  'quotes before CR': (table) =>
    joined(
      cells(table, (cell) => `"${cell}"`),
      ';',
      '\r',
    ),
  'CR after a declaration': (table) => `sep=;\r${joined(table, ';', '\r')}`,
  'line breaks of all kinds': (table) =>
    table.map((row, at) => row.join(',') + ['\r\n', '\r', '\n'][at]).join(''),
  'no line break at the end': (table) => joined(table).trimEnd(),
  'Ctrl-Z at the end': (table) => `${joined(table, ',', '\r\n')}\u001a`,
  'Ctrl-Z at the end of the last line': (table) => `${joined(table).trimEnd()}\u001a`,
  'Ctrl-Z and a line break': (table) => `${joined(table, ',', '\r\n')}\u001a\r\n`,
  'Ctrl-Z to the end of a block': (table) => joined(table) + '\u001a'.repeat(50),
  'columns without name and content': (table) => joined(rows(table, (row) => [...row, '', ''])),
  'blank columns without a name': (table) => joined(rows(table, (row) => [...row, ' ', '\t'])),
  'cells beyond the header without content': (table) =>
    joined(rows(table, (row, at) => (at === 0 ? row : [...row, '', '']))),
  'names without cells': (table) =>
    joined(rows(table, (row, at) => (at === 0 ? [...row, ''] : row))),
  'a byte order mark': (table) => `\ufeff${joined(table)}`,
  'a comment below the header': (table) =>
    rows(table, (row, at) =>
      at === 0 ? [`${row.join(',')}\r# an example,"\r`] : [`${row.join(',')}\r`],
    ).join(''),
};

describe.each(Object.entries(changes))('%s', (_name, change) => {
  it('change no record', async () => {
    const { records, violations } = await read(change(parts));
    expect(violations).toEqual([]);
    expect(records).toMatchObject([
      { id: 'A', name: 'x', part_number: '1', is_active: true },
      { id: 'B', name: 'y', part_number: '2', is_active: false },
    ]);
  });

  it('change no reading', async () => {
    expect(await readingsOf(change(readings))).toEqual({
      items: [
        { sensor: 'OVEN', at: 1795162500000, value: 1.5, quality: 'good' },
        { sensor: 'DOOR', at: 1795162500001, value: true, quality: 'bad' },
      ],
      faults: [],
    });
  });
});

describe('a decimal comma', () => {
  const valuesOf = async (separator: string, values: readonly string[]) => {
    const text =
      ['sensor', 'at', 'value'].join(separator) +
      values.map((value) => `\nOVEN${separator}1795162500000${separator}${value}`).join('');
    const { items } = await readingsOf(text);
    return items.map((item) => (item as { value: unknown }).value);
  };
  const texts = ['1,5', '-0,25', '+12,0', ',5', '1,5E-03', '1,234', '"2,5"', ' 3,5 '];

  it('is one in a file whose columns semicolons separate', async () => {
    expect(await valuesOf(';', texts)).toEqual([1.5, -0.25, 12, 0.5, 0.0015, 1.234, 2.5, 3.5]);
    expect(await valuesOf(';', ['1.5', '-2e3', 'true'])).toEqual([1.5, -2000, true]);
  });

  it('is a text with separators of thousands, in a list, or where others separate the columns', async () => {
    const others = ['1.234,5', '1 234,5', "1'234,5", '1,234.5', '1,2,3', '1,', ',', '1,5 kg'];
    expect(await valuesOf(';', others)).toEqual(others);
    expect(await valuesOf('\t', ['1,5'])).toEqual(['1,5']);
    expect(await valuesOf(',', ['"1,5"'])).toEqual(['1,5']);
  });
});

describe('a document of the API', () => {
  const reading = '{"sensor":"OVEN","at":1,"value":1}';
  const record = '{"id":"A","name":"x","part_number":"1","is_active":true}';

  it.each([
    `{"readings":[${reading}]}`,
    `\ufeff {\n  "readings" : [\n${reading}\n]\r\n}\n`,
    `{ "readings": [ ${reading} ] }\u001a`,
  ])('of readings is read as they are posted: %j', async (text) => {
    const items = [{ sensor: 'OVEN', at: 1, value: 1 }];
    expect(await readingsOf(text)).toEqual({ items, faults: [] });
    expect(await readingsOf(text, { fileName: 'x.json' })).toEqual({ items, faults: [] });
  });

  it.each([
    `{"data":[${record}]}`,
    `{"data":[${record}],"next_cursor":null,"sync_token":"abc"}`,
    `{\n"data":\n[\n${record}\n],\n"next_cursor":null}`,
  ])('of records is read as a list shows them: %j', async (text) => {
    expect((await read(text)).records).toMatchObject([{ id: 'A', name: 'x' }]);
    expect((await read(text, { fileName: 'x.json' })).records).toHaveLength(1);
  });

  it.each([
    [`{"data":[${record}],"next_cursor":"abc"}`, 'one page of several'],
    [`{"data":[${record}],"removed":["B"]}`, 'it has the member "removed"'],
    [`{"data":[${record}]`, 'closed before the end of the file'],
    [`{"data":[${record}]}}`, 'nothing after the JSON document'],
    ['{"data":', 'a JSON array of objects, or {"data":[…]}'],
    ['{"data":{}}', 'a JSON array of objects, or {"data":[…]}'],
  ])('that is none is refused: %j', async (text, rule) => {
    expect((await read(text)).violations.map((violation) => violation.rule)).toEqual([
      expect.stringContaining(rule),
    ]);
  });

  it('is no object of one line that begins like it', async () => {
    expect((await readingsOf('{"reading":1}\n{"r')).items).toEqual([{ reading: 1 }]);
    expect((await readingsOf('{')).faults).toHaveLength(1);
  });
});

it('names the line of a fault, whatever ends the lines', async () => {
  for (const end of ['\n', '\r\n', '\r\r\n', '\r']) {
    const text = joined([...parts, ['C', '"1"x', '3', 'true'], ['D', 'z', '4', 'maybe']], ',', end);
    expect((await read(text)).violations.map(({ line }) => line)).toEqual([4, 5]);
    const lost = joined([...readings, ['OVEN', '1'], ['', '', '', '']], ',', end);
    expect((await readingsOf(lost)).faults).toMatchObject([{ line: 4, code: 'invalid_reading' }]);
  }
});

it('refuses content in a column without a name at the end', async () => {
  const { violations } = await read(
    joined(rows(parts, (row, at) => [...row, at === 2 ? 'z' : ''])),
  );
  expect(violations).toMatchObject([{ line: 3, column: 5, value: 'z' }]);
});

it.each(['\r\n', '\r', '\r\r\n'])('reads NDJSON with lines that end with %j', async (end) => {
  const lines = ['{"id":"A","name":"x","part_number":"1","is_active":true}', ' '];
  lines.push('{"id":"B","name":"y","part_number":"2","is_active":true}');
  const { records, lines: numbers } = await read(`${lines.join(end)}${end}\u001a`, {
    format: 'ndjson',
  });
  expect(records.map(({ id }) => id)).toEqual(['A', 'B']);
  expect(numbers).toEqual([1, 3]);
  const items = ['{"sensor":"OVEN","at":1}', '', '{"sensor":" DOOR ","at":2}'].join(end);
  expect(await readingsOf(items, { format: 'ndjson' })).toEqual({
    items: [
      { sensor: 'OVEN', at: 1 },
      { sensor: 'DOOR', at: 2 },
    ],
    faults: [],
  });
});

it('maps columns and members, in each case and form of Unicode', async () => {
  const map = { Messgrösse: 'value', MESSSTELLE: 'sensor', zeit: 'at', Notiz: '-' };
  const names = ['messstelle', ' Zeit', 'Messgro\u0308sse', 'NOTIZ'];
  const csv = joined([names, ['OVEN', '1795162500000', '5', 'x']], ';');
  const json = JSON.stringify([
    { messstelle: 'OVEN', Zeit: 1795162500000, 'Messgro\u0308sse': 5, NOTIZ: 'x' },
  ]);
  for (const text of [csv, json]) {
    expect((await readingsOf(text, { map })).items).toEqual([
      { sensor: 'OVEN', at: 1795162500000, value: 5 },
    ]);
  }
});

it('keeps members of a reading that it does not know, so that they are rejected', async () => {
  const text = '[{"sensor":"A","Sensor":"B"},{"__proto__":{"sensor":"A"}},7]';
  const { items } = await readingsOf(text);
  expect(items.map((item) => JSON.stringify(item))).toEqual([
    '{"sensor":"A","Sensor":"B"}',
    '{"__proto__":{"sensor":"A"}}',
    '7',
  ]);
});

it('reads a number and line breaks as long as a record may be', async () => {
  const length = 500_000;
  const digits = `${'1'.repeat(length)}e`;
  const text = `sensor,at,value\nOVEN,1795162500000,${digits}\n"${'\r'.repeat(length)}A"B,1,2\n`;
  const items: unknown[] = [];
  const lines: number[] = [];
  for await (const rows of readReadings(Readable.from([Buffer.from(text)]), {})) {
    items.push(...rows.items);
    lines.push(...rows.faults.map(({ line }) => line));
  }
  expect(items).toEqual([{ sensor: 'OVEN', at: 1_795_162_500_000, value: digits }]);
  expect(lines).toEqual([3 + length]);
});
