import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgramAsync } from '../../run-program.ts';

it.each(['registry', 'records', 'readings', 'postgres'])(
  'the migrations of %s make what is declared',
  async (database) => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-declared-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    cpSync(join('migrations', database), folder, { recursive: true });
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await runProgramAsync(
      'node',
      [
        'node_modules/drizzle-kit/bin.cjs',
        'generate',
        '--config',
        join('migrations', 'drizzle.config.ts'),
      ],
      { env: { ...process.env, DATABASE: database, MIGRATIONS: relative(process.cwd(), folder) } },
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('No schema changes');
    expect(readdirSync(folder)).toEqual(before);
  },
);
