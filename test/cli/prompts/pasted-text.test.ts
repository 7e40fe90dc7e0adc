import { expect, it } from 'vitest';
import { Cli } from '../harness.ts';
import { press } from '../keyboard.ts';

const terminal = { columns: 200, rows: 24 };
const { ctrlC, enter } = press;

it('a text of the usual length is taken whole, in as many pieces as it comes', async () => {
  const cli = await new Cli().seed();
  const name = `é${'x'.repeat(118)}y`;
  const { stderr } = await cli.run('keys create --entity BER --permission parts.view', {
    terminal,
    keys: [
      { on: 'Name', type: name.slice(0, 60) },
      { on: 'xx', type: name.slice(60) },
      { on: 'xy', type: enter },
      { on: 'Expires', type: ctrlC },
    ],
  });
  expect(stderr).toContain(name);
});

it('a megabyte that is pasted into a question leaves Ctrl-C its effect', async () => {
  const cli = await new Cli().seed();
  const { code, stderr } = await cli.run('keys create --entity BER', {
    terminal,
    keys: [{ on: 'Name', type: `${'x'.repeat(1_000_000)}${ctrlC}` }],
  });
  expect(code).toBe(130);
  expect(stderr).not.toContain('x'.repeat(513));
});

it('a file that is pasted into a question of the settings page leaves Ctrl-C its effect', async () => {
  const cli = await new Cli().seed();
  const drawn: number[] = [];
  const { code } = await cli.run('keys', {
    terminal: { columns: 80, rows: 24 },
    keys: [
      'c',
      { on: 'Name', type: `${'a line '.repeat(20_000)}\u0003` },
      { on: 'Cancelled', type: 'q' },
    ],
    onWrite: (text) => drawn.push(text.length),
  });
  expect(code).toBe(0);
  // A screen for each key would be a hundred thousand.
  expect(drawn.length).toBeLessThan(100);
});
