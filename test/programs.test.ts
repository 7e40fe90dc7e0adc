import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { programs } from './programs.mts';
import { runProgram } from './run-program.ts';

// vitest.config.mts says so; without it a test could start what .ci/run installed on the machine of its author.
it('the fast suite finds the programs that everybody has, and none of a package that .ci/run installs', () => {
  const found = readdirSync(process.env.PATH ?? '');
  expect(found.filter((name) => !programs.includes(name))).toEqual([]);
  const [list = ''] = /^packages=\(.*?^\)/ms.exec(readFileSync('.ci/run', 'utf8')) ?? [];
  const packages =
    list
      .replaceAll(/#.*/g, '')
      .match(/[\w-]+/g)
      ?.slice(1) ?? [];
  expect(packages).toContain('mandoc');
  for (const name of packages.filter((name) => !programs.includes(name))) {
    expect(() => runProgram(name, ['--version']), name).toThrow('cannot be started: ENOENT');
  }
});
