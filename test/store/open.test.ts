import { expect, it } from 'vitest';
import { Cli } from '../cli/harness.ts';

it('a password in --store is refused before anything is opened, and not repeated (exit 2)', async () => {
  for (const address of [
    'postgres://user:hunter2@host/database',
    'PostgreSQL://user@host/database?password=hunter2',
  ]) {
    for (const command of [
      ['keys', 'list'],
      ['doctor'],
      ['migrate'],
      ['restore', 'x.backup', '--yes'],
    ]) {
      const { code, stdout, stderr } = await new Cli().run([...command, '--store', address]);
      expect([code, stderr], command.join(' ')).toEqual([
        2,
        expect.stringContaining('A password on the command line'),
      ]);
      expect(stdout + stderr).not.toContain('hunter2');
    }
  }
});

it('a password in HKCTL_STORE is accepted, and shown nowhere', async () => {
  const address = 'postgres://user:hunter2@localhost:1/database?sslmode=disable';
  for (const more of [[], ['--json'], ['--debug']]) {
    const { code, stdout, stderr } = await new Cli(address).run(['keys', 'list', ...more]);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining('No PostgreSQL server can be reached at postgres://'),
    ]);
    expect(stdout + stderr).not.toContain('hunter2');
  }
});

it('a wrong address is wrong usage (exit 2)', async () => {
  const { code, stderr } = await new Cli('postgres://user:hunter2@host/database?hots=x').run([
    'keys',
    'list',
  ]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('"hots" is an unknown parameter')]);
  expect(stderr).not.toContain('hunter2');
});
