import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';

it.each(['registry', 'records', 'readings', 'postgres'])(
  'the migrations of %s make what is declared',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-declared-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join('migrations', name), folder, { recursive: true });
    const before = readdirSync(folder);
    const schema = [
      '--schema',
      `./migrations/schema/${name}.ts`,
      '--out',
      relative(process.cwd(), folder),
    ];
    const dialect = ['--dialect', name === 'postgres' ? 'postgresql' : 'sqlite'];
    const { stdout } = await execa('node', [
      'node_modules/drizzle-kit/bin.cjs',
      'generate',
      ...dialect,
      ...schema,
    ]);
    expect(stdout).toContain('No schema changes');
    expect(readdirSync(folder)).toEqual(before);
  },
);
