import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Cli } from '../harness.ts';
import { press } from '../keyboard.ts';

const { enter, down, up, escape: esc, ctrlC } = press;
const terminal = { columns: 100, rows: 40 };
const dismissed = [
  { on: '[d] Dismiss', type: 'd' },
  { on: '[y] Dismiss', type: 'y' },
];

describe('Esc behind the first question', () => {
  it('goes one question back and keeps the answers', async () => {
    const cli = await new Cli().seed();
    const result = await cli.ok('keys create', {
      terminal,
      keys: [
        { on: 'Name', type: `Ovne${enter}` },
        { on: 'Entity', type: `${down}${enter}` },
        { on: 'Permissions', type: `${down}${enter}` },
        { on: 'Expires', type: `90d${enter}` },
        { on: 'Create this API key?', type: esc },
        { on: '(90d)', type: esc },
        { on: '❯ Sensor gateway', type: esc },
        { on: '❯ CHI', type: esc },
        { on: '(Ovne)', type: `Oven${enter}` },
        { on: '❯ CHI', type: enter },
        { on: '❯ Sensor gateway', type: enter },
        { on: '(90d)', type: enter },
        { on: 'Create this API key?', type: `${down}${enter}` },
        ...dismissed,
      ],
    });
    expect(stripVTControlCharacters(result.stderr)).toContain('Esc goes back');
    const [key] = (await cli.ok('keys list --json')).json<Record<string, unknown>[]>();
    expect(key).toMatchObject({
      name: 'Oven',
      entity: { code: 'CHI' },
      expires_at: '2027-02-18T08:00:00.000Z',
    });
  });

  it('offers a former answer only to the question that it answered', async () => {
    const cli = await new Cli().seed();
    const { code, stderr } = await cli.run('keys create --name Oven --entity BER', {
      terminal,
      keys: [
        { on: 'Permissions', type: enter },
        { on: 'Jobs and Orders view', type: enter },
        { on: 'Create this API key?', type: esc },
        { on: '❯◉ Jobs and Orders view', type: esc },
        { on: '❯ Custom selection', type: `${down}${enter}` },
        { on: 'Create this API key?', type: ctrlC },
      ],
    });
    expect(code).toBe(130);
    expect(stripVTControlCharacters(stderr)).toContain('✔ Permissions Sensor gateway');
  });

  it('cancels at the first one, and Ctrl-C at each', async () => {
    const cli = await new Cli().seed();
    const first = await cli.run('users add bob', { terminal, keys: [{ on: 'Name', type: esc }] });
    expect(first.code).toBe(130);
    const second = await cli.run('users add bob', {
      terminal,
      keys: [
        { on: 'Name', type: `Bob${enter}` },
        { on: 'Role', type: ctrlC },
      ],
    });
    expect(second.code).toBe(130);
  });

  it('goes back on the settings page, too', async () => {
    const cli = await new Cli().seed();
    const { stdout } = await cli.ok('keys', {
      terminal,
      keys: [
        'c',
        { on: '? Name', type: `Oven${enter}` },
        { on: '? Entity', type: esc },
        { on: '? Name (Oven)', type: esc },
        { on: 'Cancelled', type: 'q' },
      ],
    });
    expect(stdout).not.toBe('');
  });
});

it('init asks for the zone of the plant without an answer on a server in UTC', async () => {
  const cli = new Cli();
  const line = 'init --org Acme --week-start monday --entity BER --entity-name Berlin --admin root';
  const result = await cli.run(line, {
    terminal,
    keys: [
      { on: 'time zone', type: enter },
      { on: '> ', type: `Europe/Berlin${enter}` },
    ],
  });
  expect(result.code, stripVTControlCharacters(result.stderr)).toBe(0);
  expect(result.stderr).not.toContain('(UTC)');
  expect((await cli.ok('entities list --json')).json()).toMatchObject([
    { timezone: 'Europe/Berlin' },
  ]);
});

it('users add says what a role may do with keys, and begins with one that may nothing', async () => {
  const cli = await new Cli().seed();
  const { stdout, stderr } = await cli.ok('users add bob --name Bob', {
    terminal,
    keys: [
      { on: 'may neither view nor change API keys', type: up.repeat(2) },
      { on: 'may view, create, rotate and revoke API keys', type: down.repeat(2) },
      { on: 'may neither view nor change API keys', type: enter },
    ],
  });
  expect(stdout).toContain('Bob (bob), Operator');
  expect(stripVTControlCharacters(stderr)).toContain('This role may neither view nor change');
});
