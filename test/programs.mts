import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What whoever types `npm ci && npm test` has: what the README names, and what every system has. */
export const programs = [
  ...['node', 'npm', 'npx', 'git', 'python3', 'make', 'cc'],
  ...[
    'sh',
    'cat',
    'chown',
    'cp',
    'cut',
    'env',
    'grep',
    'head',
    'id',
    'mkfifo',
    'rm',
    'sleep',
    'touch',
    'true',
  ],
];

/**
 * Makes a folder of only these programs. As the PATH of `npm test` it lets a test that starts another one fail on every machine,
 * also on one that has that program.
 */
export function makeProgramsFolder(): string {
  const folder = join(process.env.TMPDIR ?? '', 'programs');
  mkdirSync(folder, { mode: 0o755 });
  const path = (process.env.PATH ?? '').split(delimiter);
  for (const name of programs) {
    const found = path.map((one) => join(one, name)).find((file) => existsSync(file));
    if (found !== undefined)
      symlinkSync(name === 'python3' ? pythonItself(found) : found, join(folder, name));
  }
  return folder;
}

/** What manages several Pythons puts a script before them, which needs programs of its own. */
function pythonItself(found: string): string {
  return execFileSync(found, ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
}
