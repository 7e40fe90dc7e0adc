import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { connectionAttacks } from '../bench/attacks/connections.ts';
import { readAttacks } from '../bench/attacks/reads.ts';
import { runProgram } from '../run-program.ts';

const page = readFileSync('test/bench/README.md', 'utf8');

it('the page of benchmarks names those that there are, and how many attacks', () => {
  const { code, stderr } = runProgram(process.execPath, ['dist/bench.cjs', 'none']);
  const [, listed = ''] = /there are: (.*)/.exec(stderr) ?? [];
  const [table = ''] = /\| name \|[\s\S]*?\n\n/.exec(page) ?? [];
  const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect([code, named]).toEqual([2, listed.split(', ')]);

  const attacks = readAttacks.length + connectionAttacks.length;
  expect(table).toContain(`under each of ${attacks} attacks`);
  expect(table).toContain(`under the ${readAttacks.length} attacks that read`);
});
