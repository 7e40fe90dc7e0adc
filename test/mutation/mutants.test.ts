import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(__dirname, '..', '..');

it('every mutant finds the text that it replaces exactly once, and the tests that should notice it', async () => {
  const { mutants }: { mutants: string[][] } = await import(join(__dirname, 'mutants.mjs'));
  const misfits: string[] = [];
  for (const [file = '', from = '', to, ...tests] of mutants) {
    const path = join(root, file);
    const found = existsSync(path) ? readFileSync(path, 'utf8').split(from).length - 1 : 0;
    if (found !== 1) misfits.push(`${file} holds this text ${found} times: ${from}`);
    if (from === to) misfits.push(`${file}: this mutant changes nothing: ${from}`);
    for (const test of tests) if (!existsSync(join(root, test))) misfits.push(`${test} does not exist`);
  }
  expect(misfits).toEqual([]);
  expect(mutants.length).toBeGreaterThan(100);
});
