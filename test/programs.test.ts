import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { programs } from './programs.mts';
import { runProgram } from './run-program.ts';

// vitest.config.mts says so; without it a test could start what .ci/run installed on the machine of its author.
it('the fast suite finds the programs that everybody has, and no others', () => {
  expect(readdirSync(process.env.PATH ?? '').filter((name) => !programs.includes(name))).toEqual(
    [],
  );
  expect(() => runProgram('mandoc')).toThrow('mandoc cannot be started: ENOENT');
});
