import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { Cli } from '../../harness.ts';
import { press } from '../../keyboard.ts';

const terminal = { columns: 80, rows: 24 };

it('keys revoke and show without REF offer the active keys, with their last use', async () => {
  const cli = await new Cli().seed();
  await cli.key('Oven');
  const { key } = await cli.key('Press');
  await cli.ok(['keys', 'rotate', 'Press', '--yes']);
  const chosen = { on: '❯ hk_', type: `${press.down}${press.enter}` };
  const shown = await cli.ok('keys show', { terminal, keys: [chosen] });
  const name = /^(Oven|Press)$/m.exec(stripVTControlCharacters(shown.stdout))?.[0];
  const keys = [chosen, { on: '❯ Cancel', type: press.down }, press.enter];
  const { stdout, stderr } = await cli.ok('keys revoke', { terminal, keys });
  expect(stdout).toContain(`API key revoked: ${name}`);
  const asked = stripVTControlCharacters(stderr);
  expect(asked).toContain('? Which key?');
  expect(asked).toMatch(/hk_\w{5} {2}BER {2}Oven/);
  expect(asked).toMatch(/^Last used {2}Never$/m);
  expect(asked).not.toContain(key.prefix);
  expect((await cli.ok('keys list --json')).json()).toHaveLength(1);
});

it('many of them are filtered by typing', async () => {
  const cli = await new Cli().seed();
  for (let i = 10; i < 24; i++) await cli.key(`Line ${i}`);
  const keys = [
    { on: '❯ hk_', type: 'Line 17' },
    { on: 'Which key? Line 17', type: press.enter },
  ];
  const { stdout, stderr } = await cli.ok('keys show', { terminal, keys });
  expect(stripVTControlCharacters(stdout)).toMatch(/^Line 17$/m);
  expect(stripVTControlCharacters(stderr)).toMatch(/✔ Which key\? hk_\w{5} {2}BER {2}Line 17/);
});

it('there is nothing to offer without an active key', async () => {
  const cli = await new Cli().seed();
  const { code, stderr } = await cli.run('keys rotate', { terminal });
  expect([code, stripVTControlCharacters(stderr)]).toEqual([
    3,
    expect.stringContaining('There is no active key.'),
  ]);
});
