import { expect, it } from 'vitest';
import { createTextQuestion } from '../../../src/cli/prompts/questions.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { Cli } from '../harness.ts';
import { silentOutput } from '../silent-output.ts';

const terminal = { columns: 80, rows: 24 };

it('an answer holds what fits into it, and ends between two characters', () => {
  const question = createTextQuestion('Name', undefined, undefined, createStyle({}, silentOutput({ isTTY: true })));
  const key = { name: '', ctrl: false, meta: false, sequence: '' };
  for (let i = 0; i < 5000; i++) question.press({ ...key, text: '🏭' });
  const answer = question.press({ ...key, name: 'return', text: '\r' });
  expect(answer?.value).toBe('🏭'.repeat(4096));
});

it('much that was pasted by mistake, also a file of many lines, leaves Ctrl-C its effect', async () => {
  const cli = await new Cli().seed();
  for (const pasted of ['x'.repeat(1_000_000), 'a line\n'.repeat(100_000)]) {
    const keys = [{ on: 'Name', type: `${pasted}\u0003` }];
    const { code } = await cli.run('keys create', { terminal, keys });
    expect(code).toBe(130);
    expect((await cli.ok('keys list --all --json')).json()).toEqual([]);
  }
});

it('what is left of a paste is not the answer to the next question', async () => {
  const cli = await new Cli().seed();
  const { code } = await cli.run('keys create', {
    terminal,
    keys: [
      { on: 'Name', type: 'Oven\rBER\rx\r' },
      { on: 'Entity', type: '\u0003' },
    ],
  });
  expect(code).toBe(130);
});
