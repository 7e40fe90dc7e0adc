import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { Cli } from './harness.ts';
import { silentOutput } from './silent-output.ts';

const program = await createProgram({ stdout: silentOutput() }, '0.0.0', async () => {});
const cli = new Cli();

function pathsOf(command: Command, path: readonly string[]): string[][] {
  const inner = command
    .createHelp()
    .visibleCommands(command)
    .filter((found) => found.name() !== 'help');
  return [[...path], ...inner.flatMap((found) => pathsOf(found, [...path, found.name()]))];
}

describe('help', () => {
  for (const path of pathsOf(program, [])) {
    const line = ['hkctl', ...path].join(' ');
    it(`${line} --help shows examples and ends well without a store`, async () => {
      const { code, stdout, stderr } = await cli.run([...path, '--help']);
      expect(code).toBe(0);
      expect(stderr).toBe('');
      expect(stdout).toContain(`Usage: ${line}`);
      expect(stdout).toMatch(/\nExamples:\n {2}\S/);
      expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
      const narrow = await cli.run([...path, '--help'], { terminal: { columns: 60, rows: 24 } });
      // Nothing is broken inside quotes.
      const unbroken = (text: string) => text.length > 60 && !/^ +'[^']*' \\$/.test(text);
      expect(narrow.stdout.split('\n').filter(unbroken)).toEqual([]);
      await expect(stdout).toMatchFileSnapshot(
        `../golden/help/${['hkctl', ...path].join('-')}.txt`,
      );
    });
  }

  it('is the same by the word help', async () => {
    expect((await cli.run('help keys rotate')).stdout).toBe(
      (await cli.run('keys rotate --help')).stdout,
    );
  });

  it('names the version', async () => {
    expect(await cli.run('--version')).toMatchObject({ code: 0, stdout: '0.0.0-test\n' });
  });
});
