import { describe, expect, it } from 'vitest';
import { Cli } from '../harness.ts';

const closedSystemStore = { folder: '/var/lib/hkctl', account: 'hkctl' };

describe('an account that may not enter the folder of the system store', () => {
  it.each(['keys list', 'status', 'doctor', 'migrate', 'backup FILE', 'users list --quiet'])(
    'hkctl %s says that a store may be there, and which account to use (exit 6)',
    async (line) => {
      const cli = new Cli();
      const { code, stderr, stdout } = await cli.run(line.replace('FILE', `${cli.store}.backup`), {
        closedSystemStore,
      });
      expect([code, stdout]).toEqual([6, '']);
      expect(stderr).toContain('One may be in /var/lib/hkctl, which this account may not enter.');
      expect(stderr).toContain(
        'hint: Run the command as the account that owns it: sudo -u hkctl hkctl …',
      );
      expect(stderr).not.toContain('hkctl init');
    },
  );

  it('hkctl alone says the same instead of hkctl init', async () => {
    const { stdout } = await new Cli().ok('', {
      closedSystemStore,
      terminal: { columns: 80, rows: 24 },
    });
    const end = stdout.slice(stdout.indexOf('There is no store')).replaceAll('\n', ' ');
    expect(end).toContain('may be in /var/lib/hkctl, which');
    expect(end).toContain('sudo -u hkctl hkctl …');
    expect(end).not.toContain('hkctl init');
  });

  it('an account without a login is named by its number, quoted for the shell', async () => {
    const given = { closedSystemStore: { ...closedSystemStore, account: '#993' } };
    expect((await new Cli().run('keys list', given)).stderr).toContain("sudo -u '#993' hkctl");
  });

  it('may make a store of its own, which is used then', async () => {
    const cli = new Cli();
    const site = ['--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'];
    await cli.ok(['init', '--org', 'Own', ...site], { closedSystemStore });
    expect((await cli.ok('tenants list', { closedSystemStore })).stdout).toContain('Own');
  });

  it('gets no other hint where it names a store itself', async () => {
    const cli = new Cli();
    const { code, stderr } = await cli.run(['keys', 'list', '--store', cli.store], {
      closedSystemStore,
    });
    expect(code).toBe(6);
    expect(stderr).toMatch(/Make one with: hkctl --store \S+ init\. Or name another/);
  });
});
