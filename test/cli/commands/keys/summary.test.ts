import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { Cli } from '../../harness.ts';
import { press } from '../../keyboard.ts';

const cli = new Cli();
beforeAll(() => cli.seed());

const terminal = { columns: 60, rows: 30 };
const names = async () =>
  (await cli.ok('keys list --json')).json<{ name: string }[]>().map(({ name }) => name);
const line =
  'keys create --entity BER --preset production-only --expires 90d --allow-ip 10.0.0.0/8 --note "Line 3"';
const named = { on: 'Name', type: `Oven gateway${press.enter}` };

it('keys create sums up the key before it creates it, and Enter alone creates nothing', async () => {
  const { code, stderr } = await cli.run(line, {
    terminal,
    keys: [named, { on: '❯ Cancel', type: press.enter }],
  });
  expect(code).toBe(130);
  const asked = stripVTControlCharacters(stderr).split('\n');
  const from = asked.findIndex((text) => text.startsWith('Name  '));
  expect(asked.slice(from, from + 10)).toEqual([
    'Name          Oven gateway',
    'Entity        BER  Berlin plant',
    'Permissions   Production jobs, Orders, Production quality,',
    '              OEE events',
    'Expires       2027-02-18 09:00:00 CET (in 90 d)',
    'Allowed from  10.0.0.0/8',
    'Note          Line 3',
    '? Create this API key?',
    '❯ Cancel',
    '  Create key',
  ]);
  // An Enter too many loses no answer.
  const [command] = asked.join(' ').match(/hkctl keys create --name.*(?= *$)/) ?? [];
  expect(command?.trim()).toBe(
    "hkctl keys create --name 'Oven gateway' --entity BER --preset production-only --allow-ip 10.0.0.0/8 --expires 90d --note 'Line 3'",
  );
  expect(await names()).toEqual([]);
});

it('creates it for the other answer, and asks nothing if nothing was missing', async () => {
  const dismissed = [
    { on: '[d] Dismiss', type: 'd' },
    { on: '[y] Dismiss', type: 'y' },
  ];
  await cli.ok(line, {
    terminal,
    keys: [named, { on: '❯ Cancel', type: press.down }, press.enter, ...dismissed],
  });
  const { stderr } = await cli.ok(`${line} --name Second`, { terminal, keys: dismissed });
  expect(stderr).not.toContain('Create this API key?');
  expect(await names()).toHaveLength(2);
});
