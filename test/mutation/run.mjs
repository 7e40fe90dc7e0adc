import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutants } from './mutants.mjs';

/**
 * Breaks the program on purpose, one rule at a time, in a copy of it, and runs the tests that should notice:
 * `node test/mutation/run.mjs [TEXT]` (only mutants with TEXT in them). Exit code 1 where one stays unnoticed. It is no
 * part of the test runs: it takes a quarter of an hour, and is for changes of what lets keys in.
 */

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'hkctl-mutation-'));
const parts = ['src', 'test', 'bin', 'dist', 'migrations', 'man', 'package.json', 'tsconfig.json'];
for (const part of [...parts, 'vitest.config.mts', 'rolldown.config.mjs', 'README.md'])
  cpSync(join(root, part), join(copy, part), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

const wanted = mutants.filter((mutant) => JSON.stringify(mutant).includes(process.argv[2] ?? ''));
const unnoticed = [];
try {
  for (const [file, from, to, ...tests] of wanted) {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} holds ${JSON.stringify(from)} not once`);
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    // The threads that write and read the files of a store run what was built.
    const isBuilt = file.startsWith('src/store/sqlite/');
    if (isBuilt) build();
    const isNoticed = tests.some(failsIn);
    writeFileSync(path, text);
    if (isBuilt) build();
    if (!isNoticed) unnoticed.push(`${file}: ${from} → ${to}`);
    console.log(`${isNoticed ? 'noticed  ' : 'UNNOTICED'} ${file}: ${oneLine(from)} → ${oneLine(to)}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${wanted.length - unnoticed.length} of ${wanted.length} mutants were noticed`);
process.exitCode = unnoticed.length === 0 && wanted.length > 0 ? 0 : 1;

function build() {
  const rolldown = join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
  const { status, stderr } = spawnSync(process.execPath, [rolldown, '-c', 'rolldown.config.mjs'], { cwd: copy });
  if (status !== 0) throw new Error(`the mutant cannot be built: ${stderr}`);
}

/** Whether a test of a file or folder fails; a run that fails for another reason, such as a syntax error, does not count. */
function failsIn(tests) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    vitest,
    'run',
    '--project',
    tests.startsWith('test/endurance/') ? 'endurance' : 'fast',
    '--bail=1',
    '--retry=0',
    '--reporter=dot',
    '--experimental.fsModuleCache',
    tests,
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', timeout: 300_000 });
  return status !== 0 && /Tests .* failed/.test(stdout);
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(0, 80);
}
