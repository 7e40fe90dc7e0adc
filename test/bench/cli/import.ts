import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, paired } from '../harness.ts';

/** Rows of a file of parts. */
const rowCount = 500_000;
const rounds = 7;
/** Its columns. */
const columns =
  'id,name,part_number,revision,description,is_active,category,unit,material,weight_kg,standard_cost,currency';

/** A whole import, validated, indexed and durable, against `sqlite3 .import` into a table without any of it; whole processes, alternating. */
export async function run(): Promise<BenchReport> {
  const title = `Import of ${rowCount / 1000}k parts from CSV (medians of paired runs)`;
  if (!hasProgram('sqlite3'))
    return { title, baseline: 'sqlite3', rows: [], notes: ['sqlite3 is not here'] };
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-import-'));
  try {
    const file = join(folder, 'parts.csv');
    const json = join(folder, 'parts.ndjson');
    await writeParts(file, json);
    const into = (source: string) => () => importParts(source);
    const bare = () => importBare(folder, file);
    const rows: BenchRow[] = [];
    for (const [name, source] of [
      ['CSV', file],
      ['NDJSON', json],
    ] as const) {
      const { ours, baseline, ratio } = await paired(rounds, into(source), bare);
      const bound = source === file ? '>= 0.25' : null;
      rows.push({
        name: `${name} into an empty entity`,
        ours: rate(ours),
        baseline: rate(baseline),
        ratio,
        bound,
      });
    }
    return { title, baseline: 'sqlite3 .import of the CSV', rows };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Rows a second of a new store's first import. */
async function importParts(source: string): Promise<number> {
  const { cli, env, remove } = createPlant();
  const args = [cli, 'import', 'parts', source, '--entity', 'ONE'];
  const perSecond = timed(process.execPath, args, env);
  await remove();
  return perSecond;
}

function importBare(folder: string, source: string): number {
  const database = join(folder, 'bare.db');
  rmSync(database, { force: true });
  const create = `create table parts(${columns})`;
  return timed(
    'sqlite3',
    [database, create, `.import --csv --skip 1 ${source} parts`],
    process.env,
  );
}

/** Rows a second of a program that reads the file once; throws where it fails. */
function timed(program: string, args: string[], env: NodeJS.ProcessEnv): number {
  const before = performance.now();
  const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return (rowCount / (performance.now() - before)) * 1000;
}

/** Rows a second, as a report shows them. */
function rate(rowsPerSecond: number): string {
  return `${Math.round(rowsPerSecond / 1000)}k rows/s`;
}

/** Writes a file of parts as an ERP has them: numbers that count up, a description in quotes, few categories. */
async function writeParts(file: string, json: string): Promise<void> {
  const csv = createWriteStream(file);
  const lines = createWriteStream(json);
  csv.write(`${columns}\n`);
  for (let from = 0; from < rowCount; from += 10_000) {
    let csvText = '';
    let jsonText = '';
    for (let i = from; i < from + 10_000; i++) {
      const part = partAt(i);
      csvText += `${Object.values(part).join(',')}\n`;
      jsonText += `${JSON.stringify({ ...part, description: part.description.slice(1, -1) })}\n`;
    }
    csv.write(csvText);
    if (!lines.write(jsonText)) await once(lines, 'drain');
  }
  for (const stream of [csv, lines]) {
    stream.end();
    await once(stream, 'finish');
  }
}

function partAt(i: number) {
  return {
    id: `P-${i}`,
    name: `Bearing housing ${i % 977}`,
    part_number: `BH-${i}-A`,
    revision: 'ABCDE'[i % 5],
    description: `"Cast housing, machined ${i % 13}"`,
    is_active: i % 17 > 0,
    category: ['Castings', 'Shafts', 'Gears', 'Housings', 'Fasteners'][i % 5],
    unit: '{piece}',
    material: 'EN-GJS-400-15',
    weight_kg: (i % 1000) / 10,
    standard_cost: (i % 9000) / 100,
    currency: 'EUR',
  };
}
