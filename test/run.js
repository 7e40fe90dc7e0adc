'use strict';

const { spawn } = require('node:child_process');

/**
 * `npm test`: lint, then types and the fast tests at the same time. What the compiler reports comes after the tests, and the
 * exit code is that of the first part that failed. Arguments go to Vitest.
 */
async function main() {
  const lint = await run('npm', ['run', 'lint']);
  if (lint.code !== 0) return lint.code;
  const types = run('npm', ['run', 'typecheck'], 'pipe');
  const tests = await run('vitest', ['run', '--project', 'fast', ...process.argv.slice(2)]);
  const { code, output } = await types;
  process.stdout.write(output);
  return tests.code || code;
}

/** Runs a program of the PATH to its end; with `pipe`, what it writes is its result instead of being shown. */
function run(program, args, streams = 'inherit') {
  const child = spawn(program, args, { stdio: ['inherit', streams, streams] });
  const parts = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => parts.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(parts).toString() }),
    );
  });
}

main().then((code) => {
  process.exitCode = code;
});
