import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestServer } from '../../store/postgres/server.ts';
import { columns, rate, rowCount, timed, writeParts } from '../cli/import.ts';
import { type BenchReport, hasProgram, paired } from '../harness.ts';

const rounds = 5;
const types: Readonly<Record<string, string>> = {
  is_active: 'boolean',
  weight_kg: 'numeric',
  standard_cost: 'numeric',
};
const baseline = '\\copy into a bare table';

/** A whole import into a new store, validated, with five indexes, beside psql that copies the file into a table without any. */
export async function importing({ address, sockets }: TestServer): Promise<BenchReport> {
  const title = `Import of ${rowCount / 1000}k parts from CSV (medians of ${rounds} pairs)`;
  if (!hasProgram('psql'))
    return { title, baseline, rows: [], notes: ["skipped: it needs Debian's postgresql-client"] };
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-import-'));
  const psql = (command: string) => ['-q', '-h', sockets, '-U', 'postgres', '-d', 'postgres', '-c', command];
  const prepare = (sql: string) => execFileSync('psql', psql(sql), { stdio: 'pipe' });
  try {
    const file = join(folder, 'parts.csv');
    await writeParts(file, join(folder, 'parts.ndjson'));
    const ours = () => {
      prepare('drop database if exists imported');
      prepare('create database imported template template0');
      return importParts(address.replace('/postgres?', '/imported?'), file);
    };
    const bare = () => {
      const typed = columns.split(',').map((column) => `${column} ${types[column] ?? 'text'}`);
      prepare(`drop table if exists bare; create table bare (${typed.join(', ')})`);
      return timed('psql', psql(`\\copy bare from '${file}' csv header`), process.env);
    };
    const result = await paired(rounds, ours, bare);
    const rates = { ours: rate(result.ours), baseline: rate(result.baseline), ratio: result.ratio };
    return { title, baseline, rows: [{ name: 'CSV into an empty entity', ...rates, bound: '>= 0.5' }] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function importParts(address: string, file: string): number {
  const cli = join(process.cwd(), 'bin', 'hkctl.js');
  const env = { ...process.env, HKCTL_STORE: address, HKCTL_USER: 'bench' };
  const init = ['init', '--org', 'Bench', '--week-start', 'monday', '--entity', 'ONE', '--entity-name', 'One'];
  execFileSync(process.execPath, [cli, ...init, '--timezone', 'UTC', '--admin', 'bench'], { env, stdio: 'pipe' });
  return timed(process.execPath, [cli, 'import', 'parts', file, '--entity', 'ONE'], env);
}
