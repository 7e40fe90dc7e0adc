import { afterEach, describe, expect, it } from 'vitest';
import type { Cli } from '../../cli/harness.ts';
import { addKeys, seededStore } from './pty/seed.ts';
import { settled, Terminal } from './pty/terminal.ts';

let terminal: Terminal;
afterEach(() => terminal?.close());

const secretShape = /hk_[0-9A-Za-z]{49}/;
const baseUrl = { HKCTL_BASE_URL: 'https://api.example.com' };

/** A seeded store, and a terminal on it. */
async function open(columns = 80, rows = 40, env: Record<string, string> = {}): Promise<Cli> {
  const cli = await seededStore();
  await openTerminal(columns, rows, { ...baseUrl, ...env }, cli.store);
  return cli;
}

/** Waits for the shell's first prompt: what is typed before it stands on the screen twice. */
async function openTerminal(...given: ConstructorParameters<typeof Terminal>): Promise<void> {
  terminal = new Terminal(...given);
  await terminal.until(/^\$$/);
}

async function golden(name: string, screen: string): Promise<void> {
  expect(screen).not.toContain('\u001b');
  await expect(`${settled(screen)}\n`).toMatchFileSnapshot(`../../golden/screens/${name}.txt`);
}

describe('on a terminal', () => {
  it('init asks for everything', async () => {
    await openTerminal(80, 30, { HKCTL_USER: '' });
    terminal.type('hkctl init --admin alice');
    await terminal.until('Name of the organization');
    terminal.type('Acme Castings');
    await golden('init-week-start', await terminal.until('Weeks start on'));
    terminal.press('Enter');
    await terminal.until('Code of the first entity');
    terminal.type('no blanks please');
    await golden('init-refused-code', await terminal.until('is not an entity code'));
    terminal.press('C-u');
    terminal.type('BER');
    await terminal.until('Its name');
    terminal.type('Berlin plant');
    await terminal.until('Its time zone');
    terminal.press('C-u');
    terminal.type('Europe/Berlin');
    expect(await terminal.until('Store made')).toContain('Super user alice');
  });

  it('keys create asks for name, Entity, permissions and expiry, and shows the panel once', async () => {
    await open();
    terminal.type('hkctl keys create');
    await terminal.until('Name');
    terminal.type('Oven gateway');
    await golden('create-entity', await terminal.until('Entity'));
    terminal.press('Enter');
    await golden('create-presets', await terminal.until('Custom selection'));
    terminal.press('Enter');
    await golden('create-custom', await terminal.until('Jobs and Orders view  (jobs_orders.view)'));
    terminal.press('Down', 'Space');
    await terminal.until('❯◉ Production jobs');
    terminal.press('Enter');
    await terminal.until('Expires');
    terminal.press('C-u');
    terminal.type('2020-01-01');
    await terminal.until('is in the past');
    terminal.press('C-u');
    terminal.type('90d');
    await golden('create-summary', await terminal.until('Create key'));
    terminal.press('Down', 'Enter');
    const panel = await terminal.until('Dismiss');
    await golden('panel', panel);
    const secret = secretShape.exec(panel)?.[0] ?? '';
    expect(secret).not.toBe('');
    terminal.press('c');
    await golden('panel-copied-by-osc-52', await terminal.until('OSC 52'));
    expect(terminal.screen()).not.toContain('API key copied');
    terminal.press('d');
    await golden('panel-dismiss', await terminal.until('will not be shown again'));
    terminal.press('n');
    await terminal.until('[d] Dismiss');
    terminal.press('d', 'y');
    await terminal.until('API key created: Oven gateway');
    expect(terminal.scrollback()).not.toContain(secret);
    expect(terminal.scrollback()).not.toContain(secret.slice(0, 20));
    terminal.type('hkctl keys list --json');
    // The line is longer than the screen is wide and may break anywhere.
    const lastField = new RegExp([...'"last_used_ip":null'].join('\\n?'));
    const listed = (await terminal.until(lastField)).replaceAll('\n', '');
    expect(listed).toContain('"permissions":["jobs_orders.view","production_jobs.view"]');
  });

  it('Ctrl-C at a question makes no key: exit 130', async () => {
    await open();
    terminal.type('hkctl keys create --name x; echo "exit $?"');
    await terminal.until('Entity');
    terminal.press('C-c');
    expect(await terminal.until('exit 130')).toContain('Cancelled; nothing was changed.');
    terminal.type('hkctl keys list --all; echo "exit $?"');
    await terminal.until('No keys.');
  });

  for (const [columns, rows] of [
    [60, 30],
    [200, 50],
  ] as const) {
    it(`keys shows tiles at ${columns} columns, rotates, revokes, and shows inactive keys`, async () => {
      const cli = await open(columns, rows);
      await addKeys(cli, ['Reporting', 'ERP bridge', 'Oven gateway']);
      terminal.type('hkctl keys');
      await golden(`keys-${columns}`, await terminal.until('1 of 3'));
      terminal.press('r');
      await golden(`keys-${columns}-rotate`, await terminal.until('Rotate key'));
      terminal.press('Enter');
      await terminal.until('Cancelled');
      terminal.press('r');
      await terminal.until('Rotate key');
      terminal.press('Down', 'Enter');
      const panel = await terminal.until('Copy key');
      await golden(`keys-${columns}-panel`, panel);
      terminal.press('d', 'y');
      await golden(`keys-${columns}-rotated`, await terminal.until(/API key rotated\n/));
      terminal.press('Down', 'v');
      await golden(`keys-${columns}-revoke`, await terminal.until('Revoke key'));
      terminal.press('Down', 'Enter');
      await terminal.until('API key revoked');
      terminal.press('i');
      await golden(`keys-${columns}-inactive`, await terminal.until('Hide inactive keys'));
      terminal.press('q');
      await terminal.until(/\$$/);
      expect(terminal.scrollback()).not.toMatch(secretShape);
    });
  }

  it('keys has its empty states', async () => {
    const cli = await open(80, 20);
    terminal.type('hkctl keys');
    await golden('keys-none', await terminal.until('No API keys yet'));
    terminal.press('q');
    await addKeys(cli, ['Only one']);
    const { prefix } = (await cli.ok('keys list --json', { osAccount: 'alice' })).json<
      { prefix: string }[]
    >()[0] ?? {
      prefix: '',
    };
    await cli.ok(['keys', 'revoke', prefix, '--yes'], { osAccount: 'alice' });
    terminal.type('clear; hkctl keys');
    await golden('keys-only-inactive', await terminal.until('No active keys'));
    terminal.press('i');
    expect(await terminal.until('Revoked')).not.toContain('[r]');
  });

  it('keys says so where the role may not view keys, and hides what it may not do', async () => {
    await open(80, 20);
    terminal.type('hkctl keys --as manager');
    const screen = await terminal.until('You do not have permission');
    await golden('keys-no-permission', screen);
    expect(screen).not.toContain('Create key');
  });

  it('keys --plain is linear, for screen readers', async () => {
    const cli = await open(80, 40);
    await addKeys(cli, ['Reporting']);
    terminal.type('hkctl keys --plain');
    await golden('keys-plain', await terminal.until('What next?'));
    terminal.type('9');
    await terminal.until('Give a number from 1 to 7');
    terminal.press('C-u');
    terminal.type('5');
    await terminal.until('Which key?');
    terminal.type('1');
    await golden('keys-plain-rotate', await terminal.until('2. Rotate key'));
    terminal.press('Enter');
    await terminal.until('Cancelled');
  });

  it('keys --plain turns its pages', async () => {
    const cli = await open(80, 400);
    await addKeys(
      cli,
      Array.from({ length: 25 }, (_, i) => `Line ${i}`),
    );
    terminal.type('hkctl keys --plain');
    expect(await terminal.until('Keys 1 to 10 of 25.')).not.toContain('Page before');
    terminal.type('1');
    await terminal.until('Keys 11 to 20 of 25.');
    terminal.type('1');
    expect(await terminal.until('Keys 21 to 25 of 25.')).toContain('Line 0, prefix');
    terminal.type('1');
    await terminal.until(/21 to 25 of 25[\s\S]*11 to 20 of 25/);
  });

  it('paints with colours, and without by NO_COLOR', async () => {
    const cli = await open(80, 20);
    await addKeys(cli, ['Reporting']);
    terminal.type('hkctl keys');
    await terminal.until('1 of 1');
    expect(terminal.painted()).toContain('\u001b[38;5;31m');
    terminal.press('q');
    await terminal.until(/\$$/);
    terminal.type('clear; NO_COLOR=1 hkctl keys');
    await terminal.until('1 of 1');
    expect(terminal.painted()).not.toContain('\u001b[3');
  });

  it('serve shows where it is, and the first call of each key', async () => {
    const cli = await seededStore();
    const secret = (
      await cli.ok('keys create --name Oven --entity BER --preset operational-core', {
        osAccount: 'alice',
      })
    ).stdout.trim();
    await openTerminal(100, 30, {}, cli.store);
    terminal.type('hkctl serve --port 0 --log-level error');
    const shown = await terminal.until('Waiting for the first call.');
    expect(shown).toMatch(/^ {2}keys +1 active$/m);
    const url = /documents +(http:\S+)\/api\/v1\/docs/.exec(shown)?.[1];
    const call = async (authorization: string) =>
      expect((await fetch(`${url}/api/v1/me`, { headers: { authorization } })).status).toBe(
        authorization === '' ? 401 : 200,
      );
    await call('');
    await call(`Bearer ${secret}`);
    await call(`Bearer ${secret}`);
    const called = await terminal.until(/First call of Oven \(hk_\w{5}\) from 127\.0\.0\.1/);
    expect(called.match(/First call/g)).toHaveLength(1);
    terminal.press('C-c');
    await terminal.until(/\$$/);
  });

  it('keys verify asks for the secret without showing it', async () => {
    const cli = await open();
    const created = await cli.ok('keys create --name A --entity BER --preset sensor-gateway', {
      osAccount: 'alice',
    });
    terminal.type('hkctl keys verify');
    await terminal.until('Secret');
    terminal.type(created.stdout.trim());
    await terminal.until('would be let in');
    expect(terminal.scrollback()).not.toContain(created.stdout.trim());
  });

  it('deactivating a user or an entity names the keys that stop, and asks', async () => {
    const cli = await open(120);
    await addKeys(cli, ['Reporting']);
    terminal.type('hkctl entities deactivate BER');
    await golden('entity-deactivate', await terminal.until('One active key will stop working'));
    terminal.press('Down', 'Enter');
    await terminal.until('Entity deactivated');
    terminal.type('clear; hkctl users deactivate entity_admin');
    await terminal.until('No active keys are affected');
    terminal.press('Enter');
    await terminal.until('Cancelled');
  });
});
