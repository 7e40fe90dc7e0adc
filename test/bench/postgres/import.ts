import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from '../../store/postgres/server.ts';
import { columns, rate, rowCount, timed, writeParts } from '../cli/import.ts';
import { createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, hasProgram, paired } from '../harness.ts';

const rounds = 5;
const sensors = 50;
const types: Readonly<Record<string, string>> = {
  is_active: 'boolean',
  weight_kg: 'numeric',
  standard_cost: 'numeric',
};
const baseline = '\\copy';

/**
 * Whole imports into a new store, each row validated, against psql that copies the rows which hkctl has written into a table with
 * the same columns and indexes; for comparison also against the file of parts into a table without any index.
 */
export async function importing(server: TestServer): Promise<BenchReport> {
  const title = `Imports of ${rowCount / 1000}k rows from CSV (medians of ${rounds} pairs)`;
  if (!hasProgram('psql'))
    return { title, baseline, rows: [], notes: ["skipped: it needs Debian's postgresql-client"] };
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-import-'));
  try {
    const parts = join(folder, 'parts.csv');
    await writeParts(parts, join(folder, 'parts.ndjson'));
    const readings = join(folder, 'readings.csv');
    writeFileSync(readings, readingsCsv());
    const importParts = () => importFile(server, ['parts', parts]);
    const importReadings = () => importFile(server, ['readings', readings]);
    const sameTable = (table: string) => () => copyAgain(server, table, join(folder, 'rows'));
    const rows = [
      rowOf(
        'parts, the same indexes',
        await paired(rounds, importParts, sameTable('parts')),
        '>= 0.5',
      ),
      rowOf(
        'readings, the same indexes',
        await paired(rounds, importReadings, sameTable('readings')),
        '>= 0.5',
      ),
      rowOf(
        'parts, no index',
        await paired(rounds, importParts, () => copyBare(server, parts)),
        null,
      ),
    ];
    return { title, baseline, rows };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function rowOf(
  name: string,
  { ours, baseline, ratio }: Awaited<ReturnType<typeof paired>>,
  bound: string | null,
): BenchRow {
  return { name, ours: rate(ours), baseline: rate(baseline), ratio, bound };
}

function psqlArgs({ sockets }: TestServer, database: string, command: string): string[] {
  return ['-qAt', '-h', sockets, '-U', 'postgres', '-d', database, '-c', command];
}

function psql(server: TestServer, database: string, command: string): string {
  return execFileSync('psql', psqlArgs(server, database, command), {
    stdio: 'pipe',
    encoding: 'utf8',
  }).trim();
}

/** Rows a second of the first import into the store `imported`, which is made anew. */
async function importFile(server: TestServer, args: readonly string[]): Promise<number> {
  psql(server, 'postgres', 'drop database if exists imported');
  psql(server, 'postgres', 'create database imported template template0');
  const plant = createPlant(server.address.replace('/postgres?', '/imported?'));
  try {
    plant.importSensors(sensors);
    const cli = join(process.cwd(), 'bin', 'hkctl.js');
    return timed(process.execPath, [cli, 'import', ...args, '--entity', 'ONE'], plant.env);
  } finally {
    await plant.remove();
  }
}

/** What the last import has written into a table, once more into one with the same columns and indexes. */
function copyAgain(server: TestServer, table: string, file: string): number {
  const found = `select oid::regclass from pg_class where relname = '${table}' and relkind = 'r'`;
  const source = psql(server, 'imported', found);
  psql(server, 'imported', `\\copy ${source} to '${file}'`);
  psql(server, 'imported', `create table copied (like ${source} including all)`);
  return timed('psql', psqlArgs(server, 'imported', `\\copy copied from '${file}'`), process.env);
}

function copyBare(server: TestServer, file: string): number {
  const typed = columns.split(',').map((column) => `${column} ${types[column] ?? 'text'}`);
  psql(server, 'postgres', `drop table if exists bare; create table bare (${typed.join(', ')})`);
  return timed(
    'psql',
    psqlArgs(server, 'postgres', `\\copy bare from '${file}' csv header`),
    process.env,
  );
}

/** One reading a second of each sensor, as a historian exports them: in order of time. */
function readingsCsv(): string {
  const startMs = Date.UTC(2025, 0, 1);
  const lines = Array.from({ length: rowCount }, (_, n) => {
    const second = Math.floor(n / sensors);
    return `SENSOR-${n % sensors},${new Date(startMs + second * 1000).toISOString()},${20 + (n % 977) / 100}\n`;
  });
  return `sensor,at,value\n${lines.join('')}`;
}
