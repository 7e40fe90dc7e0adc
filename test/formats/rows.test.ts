import { Readable } from 'node:stream';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportError, Violation } from '../../src/core/records/imports.ts';
import { createCsvReader } from '../../src/formats/csv.ts';
import { readRows } from '../../src/formats/rows.ts';
import { orders } from '../../src/resources/jobs-and-orders.ts';
import { parts } from '../../src/resources/projects-and-settings.ts';
import { propertyRuns } from '../properties.ts';
import { rowsOf } from './batches.ts';
import { header, piecesOf, read, takeAll } from './reading.ts';

const place = ({ line, column, field }: Violation) => ({ line, column, field });

describe('CSV', () => {
  it('as an ERP exports it: byte order mark, semicolons, CRLF, quoted line breaks, columns of its own', async () => {
    const text =
      '\ufeffMATNR;"Bezeichnung";"Beschreibung";Teilenummer;Aktiv;Gewicht;Werk\r\n' +
      '4711;"Lager; geteilt";"Zeile 1\r\nZeile ""2""";BH-1;1;12.5;0001\r\n' +
      '4712;Flansch für Öl;;BH-2;0;;0001\r\n';
    const map = {
      MATNR: 'id',
      Bezeichnung: 'name',
      Beschreibung: 'description',
      Teilenummer: 'part_number',
      Aktiv: 'is_active',
      Gewicht: 'weight_kg',
      Werk: '-',
    };
    const { records, lines } = await read(text, { map });
    expect(records).toMatchObject([
      {
        id: '4711',
        name: 'Lager; geteilt',
        description: 'Zeile 1\r\nZeile "2"',
        part_number: 'BH-1',
        is_active: true,
        weight_kg: 12.5,
      },
      {
        id: '4712',
        name: 'Flansch für Öl',
        description: null,
        part_number: 'BH-2',
        is_active: false,
        weight_kg: null,
      },
    ]);
    expect(lines).toEqual([2, 4]);
  });

  it('with decimal commas is refused with line and column if commas separate its columns', async () => {
    const text = 'id,name,part_number,is_active,weight_kg\nA,"x\ny",A,1,1.5\nB,x,B,1,"12,5"\n';
    const { violations } = await read(text);
    expect(violations).toEqual([
      {
        line: 4,
        column: 5,
        field: 'weight_kg',
        value: '12,5',
        rule: 'a number with a decimal point, not with a decimal comma',
      },
    ]);
  });

  it('with decimal commas is read if semicolons separate its columns', async () => {
    const header = 'id;name;part_number;is_active;weight_kg';
    const { violations } = await read(`${header}\nA;1,5;A,1;1;1.5\nB;x;B;1;1.000,25\n`);
    expect(violations).toEqual([
      expect.objectContaining({ line: 3, column: 5, value: '1.000,25' }),
    ]);
    const { records } = await read(`${header}\nA;1,5;A,1;1;12,5\nB;x;B;1;1,5e2\nC;x;C;1;3.25\n`);
    expect(records).toMatchObject([
      { name: '1,5', part_number: 'A,1', weight_kg: 12.5 },
      { weight_kg: 150 },
      { weight_kg: 3.25 },
    ]);
  });

  it('lists the fields once, and suggests the one that a column is nearly called', async () => {
    const fields =
      '. The fields are id, name, part_number, revision, description, is_active, category, unit, material, weight_kg, standard_cost, currency';
    const rules = [
      `an unknown field of parts; did you mean part_number? Then map it with --map 'Part Nubmer=part_number', or leave it out with --map 'Part Nubmer=-'`,
      `an unknown field of parts; map it with --map 'Werk=FIELD', or leave it out with --map 'Werk=-'`,
    ];
    const csv = await read('id,Part Nubmer,Werk,name,is_active\nA,1,x,y,true\n').catch(
      (thrown: ImportError) => thrown,
    );
    expect(csv.violations.slice(0, 2).map(({ rule }) => rule)).toEqual([
      rules[0] + fields,
      rules[1],
    ]);
    const row = {
      id: 'A',
      'Part Nubmer': '1',
      Werk: 'x',
      name: 'y',
      part_number: 'z',
      is_active: true,
    };
    const json = await read(JSON.stringify([row, { ...row, id: 'B' }]));
    expect(json.violations.map(({ rule }) => rule)).toEqual([
      rules[0] + fields,
      rules[1],
      rules[0],
      rules[1],
    ]);
  });

  it.each([
    [',', `${header}\nA,x,1,true\n`],
    [';', 'id;name;part_number;is_active\nA;x;1;true'],
    ['tab', 'id\tname\tpart_number\tis_active\nA\tx\t1\ttrue\n'],
    ['that Excel declares', 'sep=;\r\nid;name;part_number;is_active\r\nA;x;1;true\r\n'],
    ['with empty lines', `${header}\n\nA,x,1,true\n\n`],
    ['; after empty lines', '\r\n\nid;name;part_number;is_active\nA;x;1;true\n'],
    ['with quoted names', '"id","name","part_number","is_active"\nA,x,1,true\n'],
    ['with names as people write them', ' ID ,Name,Part Number,Is-Active\nA,x,1,true\n'],
    ['with a delimiter too many', `${header},\nA,x,1,true,\n`],
    ['with updated_at', `${header},updated_at\nA,x,1,true,whatever\n`],
    ['with all quoted', `${header}\r\n"A","x","1","true"\r\n`],
  ])('separated by %s', async (_name, text) => {
    const { records } = await read(text);
    expect(records).toMatchObject([{ id: 'A', name: 'x', part_number: '1', is_active: true }]);
  });

  it('with a header alone has no records', async () => {
    expect((await read(header)).records).toEqual([]);
    expect((await read(`${header}\r\n`)).records).toEqual([]);
  });

  it.each([
    [
      'a row too short',
      `${header}\nA,x,1\nB,x,2,true\n`,
      { line: 2, column: 4, field: 'is_active' },
    ],
    ['a row too long', `${header}\nA,x,1,true,no\n`, { line: 2, column: 5, field: null }],
    ['text after a quote', `${header}\nA,"x"y,1,true\n`, { line: 2, column: 2, field: 'name' }],
    ['a quote inside', `${header}\nA,5" pipe,1,true\n`, { line: 2, column: 2, field: 'name' }],
    [
      'a quote left open',
      `${header}\nA,"x,1,true\nB,y,2,true\n`,
      { line: 2, column: 2, field: 'name' },
    ],
    [
      'a quote closed too early',
      `${header}\nA,"x\n"y,1,true\nB,y,2,true\n`,
      { line: 3, column: 2, field: 'name' },
    ],
    [
      'a bad value after line breaks',
      `${header}\nA,"x\n\ny",1,true\nB,y,2,maybe\n`,
      { line: 5, column: 4 },
    ],
  ])('with %s is refused at its place', async (_name, text, expected) => {
    const { violations } = await read(text);
    expect(violations[0]).toMatchObject(expected);
    expect(violations).toHaveLength(1);
  });

  it('reports the first twenty violations, and counts them all', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => `P-${i},x,${i},${i % 2 ? 'true' : 'maybe'}`);
    const { violations, count, error } = await read([header, ...rows].join('\n'));
    expect(count).toBe(50);
    expect(violations.map(place)).toEqual(
      Array.from({ length: 20 }, (_, i) => ({ line: 2 + 2 * i, column: 4, field: 'is_active' })),
    );
    expect(error?.message.split('\n')).toHaveLength(22);
    expect(error?.details).toEqual({ violations, violation_count: 50 });
  });

  it('refuses what cannot be mapped, with all that is wrong', async () => {
    const { violations } = await read('id,Name,colour,weight_kg,Weight kg\n', {
      map: { NOPE: 'material' },
    });
    expect(violations.map(place)).toEqual([
      { line: 1, column: 3, field: 'colour' },
      { line: 1, column: 5, field: 'Weight kg' },
      { line: 1, column: null, field: 'NOPE' },
      { line: 1, column: null, field: 'part_number' },
      { line: 1, column: null, field: 'is_active' },
    ]);
    await expect(read(header, { map: { id: 'colour' } })).rejects.toMatchObject({
      code: 'bad_input',
    });
  });

  it('finds the same rows as csv-parse', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'ö', '🦊', '"', ',', '\n', '\r\n', ' ', ';'),
    });
    const table = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), {
      minLength: 1,
      maxLength: 6,
    });
    const quoted = (text: string) =>
      /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    fc.assert(
      fc.property(
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (rows, end, open, size) => {
          const body = [['c,1', 'c2', 'c3'], ...rows]
            .map((row) => row.map(quoted).join(','))
            .join(end);
          const text = open ? body : body + end;
          const found: string[][] = [];
          const reader = createCsvReader({
            row: (cells) => found.push(cells),
            fault: ({ line, column, rule }) => expect.fail(`${line}:${column} ${rule}`),
          });
          takeAll(reader, piecesOf(Buffer.from(text), size));
          expect(found).toEqual(parseCsv(text, { skip_records_with_empty_values: true }));
        },
      ),
      propertyRuns(2000),
    );
  });

  it('reports the same rows and faults however the text is cut, and marks only plain rows as plain', () => {
    const piece = fc.constantFrom(
      'a',
      '17',
      ',',
      '"',
      '""',
      '"x",',
      '\n',
      '\r\n',
      '\r',
      'é',
      '\t',
      '\u0001',
      ' ',
    );
    const eventsOf = (texts: readonly string[]) => {
      const events: unknown[] = [];
      const reader = createCsvReader({
        row: (cells, line, plain) => {
          if (plain) expect(cells.join('')).toMatch(/^[ -~]*$/);
          events.push([line, cells, plain]);
        },
        fault: (fault) => events.push(fault),
      });
      takeAll(
        reader,
        texts.map((text) => Buffer.from(text)),
      );
      return events;
    };
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = `c1,c2\n${pieces.join('')}`;
        expect(eventsOf([...text])).toEqual(eventsOf([text]));
      }),
      propertyRuns(2000),
    );
  });
});

describe('NDJSON', () => {
  it('has a record a line', async () => {
    const { records, lines } = await read(
      '{"id":"A","name":"x","part_number":"1","is_active":true}\r\n\n {"id":"B","name":"y","part_number":"2","is_active":false}',
    );
    expect(records).toMatchObject([{ id: 'A' }, { id: 'B', is_active: false }]);
    expect(lines).toEqual([1, 3]);
  });

  it('continues after a line that is not JSON', async () => {
    const { violations } = await read(
      '{"id":"A"\n[]\n{"id":"B","name":"y","part_number":"2","is_active":"no"}',
      {
        format: 'ndjson',
      },
    );
    expect(violations.map(({ line, field, rule }) => [line, field, rule])).toEqual([
      [1, null, 'one JSON value a line'],
      [2, null, 'an object'],
      [3, 'is_active', 'true or false; did you mean false?'],
    ]);
  });

  it('ends once a hundred thousand lines are no JSON, each of which takes microseconds', async () => {
    const file = [Buffer.from('}\n'.repeat(100_001))];
    const rows = readRows(parts, Readable.from(file), { format: 'ndjson' });
    await expect(rowsOf(rows)).rejects.toMatchObject({ violationCount: 100_000 });
  });
});

describe('JSON', () => {
  const good =
    '[\n{"id":"A","name":"x","part_number":"[\\"}\\\\","is_active":true},\n\n  {"id":"B","name":"y",\n"part_number":"2","is_active":false}\n]\n';

  it('is one array of objects, each on its line', async () => {
    const { records, lines } = await read(good);
    expect(records).toMatchObject([{ id: 'A', part_number: '["}\\' }, { id: 'B' }]);
    expect(lines).toEqual([2, 4]);
    expect((await read('[]')).records).toEqual([]);
    expect((await read(' [ ] ', { format: 'json' })).records).toEqual([]);
  });

  it.each([
    [
      '{"id":"A"}',
      1,
      'a JSON array of objects, or {"data":[…]}; for one object a line use --format ndjson',
    ],
    ['[\n{"id":"A"}\n{}', 3, 'a comma or the end of the array between two objects'],
    ['[\n{"id":"A" "b"}]', 2, 'a JSON value'],
    ['[\n', 2, 'a JSON array that is closed before the end of the file'],
    ['[{"id":"A', 1, 'a JSON array that is closed before the end of the file'],
    ['[],', 1, 'nothing after the JSON document'],
    ['[1,]', 1, 'a JSON value'],
    ['', 1, 'a JSON array that is closed before the end of the file'],
  ])('%j is refused', async (text, line, rule) => {
    const { violations } = await read(text, { format: 'json' });
    expect(violations.at(-1)).toMatchObject({ line, rule });
  });

  it('with members that there are not, or twice, is refused', async () => {
    const text =
      '[{"id":"A","name":"x","Name":"y","part_number":"1","is_active":true,"__proto__":{"a":1}}]';
    const { violations } = await read(text);
    expect(violations.map(({ field }) => field)).toEqual(['Name', '__proto__']);
    const mapped = await read(text, { map: { Name: '-', __proto: '-' } });
    expect(mapped.violations.map(({ field }) => field)).toEqual(['__proto__']);
  });

  it('carries the services of orders', async () => {
    const services = [
      {
        row_id: 'SVC-01',
        service_code: 'A',
        quantity: 2,
        assignments: [{ resource: 'people', id: 'PE-1' }],
      },
    ];
    const order = { id: 'O-1', order_number: '1', status: 'draft' };
    const { records } = await read(JSON.stringify([{ ...order, services }]), {}, orders);
    expect(records[0]?.services).toEqual([
      {
        row_id: 'SVC-01',
        service_code: 'A',
        description: null,
        quantity: 2,
        unit: null,
        unit_price: null,
        currency: null,
        assignments: [{ resource: 'people', id: 'PE-1' }],
      },
    ]);
    const twice = await read(
      JSON.stringify([{ ...order, services: [...services, ...services] }]),
      {},
      orders,
    );
    expect(twice.violations).toMatchObject([
      { field: 'services[1].row_id', rule: 'unique inside its parent' },
    ]);
  });
});

it('a source that nobody reads to its end is closed', async () => {
  let isClosed = false;
  async function* source() {
    try {
      for (let row = 0; ; row++)
        yield Buffer.from(row === 0 ? `${header}\n` : `P-${row},x,N,true\n`);
    } finally {
      isClosed = true;
    }
  }
  for await (const { lines } of readRows(parts, source(), {})) {
    expect(lines.length).toBeGreaterThan(0);
    break;
  }
  expect(isClosed).toBe(true);
});
