import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('ends where a file system lets no folder be made, with the exit code of an unusable store', () => {
  const init = ['init', '--org', 'A', '--week-start', 'monday', '--entity', 'B', '--entity-name', 'C'];
  const args = [
    join('bin', 'hkctl.js'),
    ...init,
    '--timezone',
    'UTC',
    '--admin',
    'a',
    '--store',
    '/proc/none/hkctl.db',
  ];
  const run = () => execFileSync(process.execPath, args, { timeout: 20_000, stdio: 'pipe' });
  expect(run).toThrow(expect.objectContaining({ status: 6, signal: null }));
});
