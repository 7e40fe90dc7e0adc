import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAll } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';

interface PartJson {
  id: string;
  name: string;
  part_number: string;
  description: string | null;
  is_active: boolean;
  weight_kg: number | null;
}

/** Columns as an ERP names them, and how they are mapped. */
const columns = ['MATNR', 'MAKTX', 'TEILENR', 'LANGTEXT', 'AKTIV', 'BRGEW', 'WERKS'];
const mapping = [
  'MATNR=id',
  'MAKTX=name',
  'TEILENR=part_number',
  'LANGTEXT=description',
  'AKTIV=is_active',
  'BRGEW=weight_kg',
  'WERKS=-',
];
const mapped = mapping.flatMap((pair) => ['--map', pair]);

/** A file as an ERP exports it: byte order mark, semicolons, CRLF, quotes where needed, a break inside of a value. */
function exported(rows: readonly (readonly string[])[]): string {
  const quoted = (cell: string) =>
    /[";\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return `\ufeff${[columns, ...rows].map((row) => `${row.map(quoted).join(';')}\r\n`).join('')}`;
}

const rows = [
  [
    '100-1',
    'Gehäuse, groß; "Typ B"',
    'GH-100',
    'Erste Zeile\r\nZweite Zeile; mit Semikolon\r\n\r\n"Vierte"',
    '1',
    '12.5',
    '1000',
  ],
  ['100-2', 'Lagerbock', 'LB-200', '', '0', '0.75', '1000'],
  ['100-3', 'Schraube M8×40', 'SC-8-40', 'ohne "', 'true', '1e-2', '1000'],
];

const expected: PartJson[] = [
  {
    id: '100-1',
    name: 'Gehäuse, groß; "Typ B"',
    part_number: 'GH-100',
    description: 'Erste Zeile\r\nZweite Zeile; mit Semikolon\r\n\r\n"Vierte"',
    is_active: true,
    weight_kg: 12.5,
  },
  {
    id: '100-2',
    name: 'Lagerbock',
    part_number: 'LB-200',
    description: null,
    is_active: false,
    weight_kg: 0.75,
  },
  {
    id: '100-3',
    name: 'Schraube M8×40',
    part_number: 'SC-8-40',
    description: 'ohne "',
    is_active: true,
    weight_kg: 0.01,
  },
];

describe('a file as an ERP exports it', () => {
  let plant: Plant;
  let daemon: Daemon;
  let secret: string;

  beforeAll(async () => {
    plant = await Plant.open();
    ({ secret } = await plant.createKey('Reporting', 'operational-core'));
    daemon = await plant.serve();
  });
  afterAll(() => plant.close());

  const parts = async () => {
    const api = daemon.api(secret);
    const all = await readAll((cursor) =>
      api.GET('/api/v1/parts', { params: { query: { limit: 2, cursor } } }),
    );
    return all.map(({ id, name, part_number, description, is_active, weight_kg }) => ({
      id,
      name,
      part_number,
      description,
      is_active,
      weight_kg,
    }));
  };

  it('is read with its mark, semicolons, line ends, quotes and names', async () => {
    const file = plant.write('parts.csv', exported(rows));
    const dryRun = await plant.json([
      'import',
      'parts',
      file,
      '--entity',
      'BER',
      ...mapped,
      '--dry-run',
    ]);
    expect(dryRun).toMatchObject({ dry_run: true, inserted: 3, updated: 0, removed: 0 });
    expect(await parts()).toEqual([]);
    const summary = await plant.json(['import', 'parts', file, '--entity', 'BER', ...mapped]);
    expect(summary).toMatchObject({
      resource: 'parts',
      entity: 'BER',
      inserted: 3,
      updated: 0,
      unchanged: 0,
      removed: 0,
    });
    expect(await parts()).toEqual(expected);
  });

  it('is the same again on standard input: nothing changes, and updated_at stays', async () => {
    const updatedAt = async () =>
      (await daemon.api(secret).GET('/api/v1/parts/{id}', { params: { path: { id: '100-1' } } }))
        .data?.updated_at;
    const before = await updatedAt();
    const summary = await plant.json(['import', 'parts', '-', '--entity', 'BER', ...mapped], {
      input: exported(rows),
    });
    expect(summary).toMatchObject({ inserted: 0, updated: 0, unchanged: 3, removed: 0 });
    expect(await updatedAt()).toEqual(before);
  });

  it('is refused with line and column for numbers in groups, and nothing of it is kept', async () => {
    const wrong = [
      ['100-1', 'Anders', 'GH-100', 'so\r\nnicht', '1', '12.5', '1000'],
      ['100-4', 'Neu', 'NE-1', 'eins\r\nzwei', '1', '3,25', '1000'],
      ['100-5', 'Neu 2', 'NE-2', '', '1', '1.234,5', '1000'],
      ['100-6', 'Neu 3', 'NE-3', '', 'vielleicht', '1', '1000'],
    ];
    const file = plant.write('wrong.csv', exported(wrong));
    const before = await parts();
    const outcome = await plant.hkctl([
      'import',
      'parts',
      file,
      '--entity',
      'BER',
      ...mapped,
      '--replace',
      '--json',
    ]);
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toBe('');
    const { error } = JSON.parse(outcome.stderr);
    expect(error.code).toBe('bad_input');
    expect(error.violation_count).toBe(2);
    // Each row is named by the line it starts on, quoted line breaks counted.
    expect(error.violations).toEqual([
      // The decimal comma of line 4 is a number where semicolons separate.
      expect.objectContaining({ line: 6, column: 6, field: 'weight_kg', value: '1.234,5' }),
      expect.objectContaining({ line: 7, column: 5, field: 'is_active', value: 'vielleicht' }),
    ]);
    expect(await parts()).toEqual(before);

    const forPeople = await plant.hkctl(['import', 'parts', file, '--entity', 'BER', ...mapped]);
    expect(forPeople.code).toBe(2);
    expect(forPeople.stderr).toContain('line 6, column 6, weight_kg: "1.234,5"');
    expect(await parts()).toEqual(before);
  });

  it('is refused in another encoding, with the place', async () => {
    const file = plant.write('latin1.csv', Buffer.from(exported(rows).slice(1), 'latin1'));
    const outcome = await plant.hkctl(['import', 'parts', file, '--entity', 'BER', ...mapped]);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/line 2.*UTF-8/s);
    expect(await parts()).toEqual(expected);
  });

  it('replaces the set with --replace, and a date stays the day it was', async () => {
    const two = plant.write('two.csv', exported(rows.slice(1)));
    const summary = await plant.json([
      'import',
      'parts',
      two,
      '--entity',
      'BER',
      ...mapped,
      '--replace',
    ]);
    expect(summary).toMatchObject({ inserted: 0, updated: 0, unchanged: 2, removed: 1 });
    expect(await parts()).toEqual(expected.slice(1));
  });
});
