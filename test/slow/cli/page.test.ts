import { afterEach, describe, expect, it } from 'vitest';
import type { Cli } from '../../cli/harness.ts';
import { addKeys, seededStore } from './pty/seed.ts';
import { Terminal } from './pty/terminal.ts';

let terminal: Terminal;
afterEach(() => terminal?.close());

/** The page of a store with keys of these names, the last one on top. */
async function openPage(
  names: readonly string[],
  columns = 80,
  rows = 24,
  alternateScreen: 'on' | 'off' = 'on',
): Promise<Cli> {
  const cli = await seededStore();
  await addKeys(cli, names);
  terminal = new Terminal(columns, rows, { HKCTL_BASE_URL: 'https://api.example.com' }, cli.store);
  terminal.option('alternate-screen', alternateScreen);
  await terminal.until(/^\$$/);
  terminal.type('echo above; hkctl keys');
  await terminal.until(names.length === 0 ? 'No API keys' : `1 of ${names.length}`);
  return cli;
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `Line ${i + 1}`);

describe('the page of keys', () => {
  it('shows four whole tiles in 80x24, below the card and the counts', async () => {
    const cli = await openPage(names(6));
    const { prefix } =
      (await cli.ok('keys list --json', { osAccount: 'alice' })).json<{ prefix: string }[]>()[5] ??
      {};
    await cli.ok(['keys', 'revoke', prefix ?? '', '--yes'], { osAccount: 'alice' });
    const expiring = 'keys create --name Soon --entity BER --preset sensor-gateway --expires 9d';
    await cli.ok(expiring, { osAccount: 'alice' });
    terminal.press('Home');
    const screen = await terminal.until('within 14 days');
    expect(screen).toContain(
      'REST API & Tokens · Available   6 active keys, 1 expires within 14 days',
    );
    expect(screen.match(/^[┏┌]/gm)).toHaveLength(4);
    expect(screen.match(/^[┗└]/gm)).toHaveLength(4);
    for (const field of [
      'Entity',
      'Last used',
      'Expires',
      'Created by',
      '[Sensor readings and heartbeats]',
      'Active ━',
      'Active ─',
    ])
      expect(screen.split(field), field).toHaveLength(
        field === 'Active ━' ? 2 : field === 'Active ─' ? 4 : 5,
      );
  });

  it('keeps the chosen key when inactive keys are shown and hidden, and its number', async () => {
    const cli = await openPage(names(40));
    const keys = (await cli.ok('keys list --json', { osAccount: 'alice' })).json<
      { prefix: string; name: string }[]
    >();
    for (const i of [1, 3, 5])
      await cli.ok(['keys', 'revoke', keys[i]?.prefix ?? '', '--yes'], { osAccount: 'alice' });
    for (let i = 0; i < 20; i++) terminal.press('Down');
    const chosen = /┏━ (hk_\S+)/;
    const before = chosen.exec(await terminal.until('21 of 37'))?.[1];
    terminal.press('i');
    expect(chosen.exec(await terminal.until('24 of 40'))?.[1]).toBe(before);
    terminal.press('i');
    expect(chosen.exec(await terminal.until('21 of 37'))?.[1]).toBe(before);
  });

  it('does not quit by Esc once there was a search; q quits', async () => {
    await openPage(names(12));
    terminal.press('/');
    terminal.write('Line 7');
    expect(await terminal.until('1 of 1 ')).toContain('Search: Line 7_');
    terminal.press('Enter', 'Escape');
    expect(await terminal.until(/of 12/)).toMatch(/┏━ hk_\S+ {2}Line 7 /);
    for (let i = 0; i < 3; i++) {
      terminal.press('Escape');
      await terminal.until('No search to clear; q quits.');
      terminal.press('j');
      await terminal.until(/^(?![\s\S]*No search to clear)/);
    }
    terminal.press('q');
    await terminal.until(/\$$/);
  });

  it.each(['Escape', 'C-c', 'C-d'])(
    'cancels a search that is being typed by %s, and only that',
    async (key) => {
      await openPage(names(12));
      terminal.press('/');
      terminal.write('Line 7');
      await terminal.until('1 of 1 ');
      terminal.press(key);
      expect(await terminal.until(/of 12/)).not.toContain('Search:');
      terminal.press('C-c');
      await terminal.until(/\$$/);
    },
  );

  it('lists its keys by ?, and any key goes back', async () => {
    await openPage(names(2));
    terminal.press('?');
    const help = await terminal.until('Keys of this page');
    for (const text of ['search', 'rotate', 'revoke', 'create a key', 'documentation', 'quit'])
      expect(help).toContain(text);
    terminal.resize(60, 24);
    await terminal.until('Keys of this page');
    terminal.press('q');
    await terminal.until('1 of 2');
  });

  it('asks on its own screen, and the picker survives new sizes of the terminal', async () => {
    await openPage([]);
    terminal.press('c');
    await terminal.until('? Name: _');
    terminal.write('Oven');
    terminal.press('Enter');
    expect(await terminal.until('? Entity')).not.toContain('above');
    terminal.press('Enter');
    await terminal.until('? Permissions');
    terminal.press('Enter', 'Down', 'Space');
    await terminal.until('(2 of 21)');
    for (const [columns, rows] of [
      [60, 24],
      [40, 14],
      [100, 30],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      const picker = await terminal.until('❯◉ Production jobs');
      expect(picker.match(/❯/g)).toHaveLength(1);
      expect(picker.split('Jobs and Orders view').length).toBeLessThanOrEqual(2);
      expect(picker.split('\n').length).toBeLessThanOrEqual(rows);
    }
    terminal.press('C-a', 'Enter');
    const asked = await terminal.until('? Expires');
    expect(asked).toContain('✔ Custom selection: 21 chosen');
    expect(asked.match(/Permissions/g)).toHaveLength(1);
    terminal.press('Enter');
    await terminal.until(/Name +Oven[\s\S]*❯ Cancel/);
    terminal.press('Down', 'Enter');
    const panel = await terminal.until('[d] Dismiss');
    expect(panel).toMatch(/hk_[0-9A-Za-z]{49}/);
    terminal.press('d', 'y');
    await terminal.until(/API key created\n/);
    terminal.press('q');
    const left = await terminal.until(/above\n\$$/);
    expect(left).not.toContain('hk_');
    expect(terminal.scrollback()).not.toMatch(/hk_[0-9A-Za-z]{49}/);
  });

  it('changes nothing where a question is cancelled by Esc, Ctrl-C or Ctrl-D, and stays open', async () => {
    const cli = await openPage(names(1));
    for (const cancel of ['Escape', 'C-c', 'C-d']) {
      terminal.press('v');
      await terminal.until('❯ Cancel');
      terminal.press(cancel);
      await terminal.until(/Cancelled\n1 of 1/);
    }
    terminal.press('v');
    await terminal.until('❯ Cancel');
    terminal.press('Enter');
    await terminal.until(/Cancelled\n1 of 1/);
    const keys = (await cli.ok('keys list --json', { osAccount: 'alice' })).json<unknown[]>();
    expect(keys).toHaveLength(1);
  });

  it('leaves no secret behind in a terminal without an alternate screen either', async () => {
    await openPage(names(2), 80, 24, 'off');
    terminal.press('r');
    await terminal.until('❯ Cancel');
    terminal.press('Down', 'Enter');
    const secret = /hk_[0-9A-Za-z]{49}/.exec(await terminal.until('[d] Dismiss'))?.[0] ?? '';
    expect(secret).not.toBe('');
    terminal.resize(50, 20);
    await terminal.until('[d] Dismiss');
    terminal.press('d', 'y');
    await terminal.until(/API key rotated\n/);
    terminal.press('q');
    await terminal.until(/\$$/);
    const everything = terminal.scrollback().replaceAll(/\s/g, '');
    for (let at = 8; at + 10 <= secret.length; at++)
      expect(everything).not.toContain(secret.slice(at, at + 10));
  });

  it('refuses in place what another process did meanwhile', async () => {
    const cli = await openPage(names(2));
    terminal.press('r');
    const prefix = /hk_\w{5}/.exec(await terminal.until('❯ Cancel'))?.[0] ?? '';
    await cli.ok(['keys', 'revoke', prefix, '--yes'], { osAccount: 'alice' });
    terminal.press('Down', 'Enter');
    expect(await terminal.until('1 of 1')).toMatch(/is Revoked; only active keys\s+can be rotated/);
  });

  it('ends by a signal during a question', async () => {
    await openPage(names(1));
    terminal.press('r');
    await terminal.until('Rotate key');
    terminal.type('');
    await terminal.until('Cancelled');
    terminal.press('r');
    await terminal.until('Rotate key');
    terminal.press('C-z');
    await terminal.until('Stopped');
    terminal.type('kill -TERM %1; fg');
    await terminal.until(/\$$/);
    terminal.type('echo "still $((1 + 1))"');
    await terminal.until('still 2');
  });
});
