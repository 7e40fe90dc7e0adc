import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readProgram } from '../../docs/program.ts';
import { storelessCommands } from '../all-commands.ts';
import { Cli, startMs } from '../harness.ts';
import { auditTrail } from './audit-trail.ts';

const program = await readProgram();
let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const everyRole = ['entity_admin', 'manager', 'operator', 'master_data'];

/** Command lines, with the roles besides the Super user that may give them. */
const rights: [line: string, ...roles: string[]][] = [
  ['keys', 'entity_admin'],
  ['keys list', 'entity_admin'],
  ['keys show PREFIX', 'entity_admin'],
  ['keys create --name A --entity BER --preset sensor-gateway', 'entity_admin'],
  ['keys note PREFIX Oven', 'entity_admin'],
  ['keys scan /dev/null', 'entity_admin'],
  ['users list'],
  ['users add x --name X --role operator'],
  ['users set-role operator manager'],
  ['users activate operator'],
  ['users deactivate operator --yes'],
  ['entities list', ...everyRole],
  ['entities add X --name X --timezone UTC'],
  ['entities set BER --name Berlin'],
  ['entities activate BER'],
  ['entities deactivate BER --yes'],
  ['entities remove CHI --yes'],
  ['tenants list'],
  ['tenants add Other --admin other'],
  ['tenants set --name Other'],
  ['import parts - --entity BER', 'master_data'],
  ['sensors list --entity BER', ...everyRole],
  ['sensors show OVEN --entity BER', ...everyRole],
  ['sensors export --entity BER', ...everyRole],
  ['sensors erase OVEN --entity BER --from 2026-11-19 --to 2026-11-20 --yes'],
  ['audit list'],
  ['audit verify'],
  ['audit export'],
  ['status', 'entity_admin'],
  ['migrate'],
  ['permissions list', ...everyRole],
];

/** Commands of which other tests show who may give them, or that everybody may, since they open no store. */
const otherwiseTried: Readonly<Record<string, string>> = {
  'keys revoke': 'a key can be revoked once only: test/cli/commands/keys',
  'keys rotate': 'a key can be rotated once only: test/cli/commands/keys',
  'keys verify': 'it reads a secret: test/cli/commands/keys',
  'sensors tail': 'it does not end: test/cli/commands/sensors',
  doctor: 'its exit code depends on the machine: below, and test/cli/commands',
  backup: 'below',
  restore: 'below',
  init: 'it makes a store',
  serve: 'the account that has the files serves them',
};

const sensorFile = 'id,code,name,unit,is_active\nS-1,OVEN,Oven,Cel,true\n';

/** The command of a line: its noun, and its verb if the noun has one of that name. */
function commandOf(line: string): string {
  const [noun = '', verb = ''] = line.split(' ');
  const withVerb = `${noun} ${verb}`;
  return program.commands.has(withVerb) ? withVerb : noun;
}

describe('who acts', () => {
  it('is the profile of the OS account, else the one that --as or HKCTL_USER names', async () => {
    await cli.ok('keys list', { osAccount: 'entity_admin' });
    await cli.ok('keys list --as entity_admin', { osAccount: 'somebody' });
    await cli.ok('keys list', { osAccount: 'somebody', env: { HKCTL_USER: 'entity_admin' } });
    await cli.ok(
      'keys create --name A --entity BER --preset sensor-gateway --as entity_admin'.split(' '),
      { osAccount: 'somebody' },
    );
    const [last] = await auditTrail(cli);
    expect(last).toMatchObject({
      action: 'key.create',
      actor: { login: 'entity_admin' },
      os_account: 'somebody',
      outcome: 'done',
    });
  });

  it('without a profile may do nothing: exit 4 and what to ask for', async () => {
    const { code, stderr } = await cli.run('keys list', { osAccount: 'stranger' });
    expect(code).toBe(4);
    expect(stderr).toContain('hkctl users add stranger');
  });

  it('with an inactive profile may do nothing', async () => {
    await cli.ok('users deactivate entity_admin --yes');
    const result = await cli.run('keys list --json', { osAccount: 'entity_admin' });
    expect([result.code, result.error().code]).toEqual([4, 'profile_inactive']);
  });

  it('tries every command that opens a store', () => {
    const tried = rights.map(([line]) => commandOf(line));
    const withStore = [...program.commands.keys()].filter(
      (command) => !storelessCommands.includes(command),
    );
    const untried = withStore.filter((command) => !tried.includes(command));
    expect(untried.sort()).toEqual(Object.keys(otherwiseTried).sort());
  });

  for (const [line, ...allowed] of rights) {
    it(`${line}: for ${['super_user', ...allowed].join(', ')}`, async () => {
      const { key } = await cli.key('Gateway');
      await cli.ok('import sensors - --entity BER', { input: sensorFile });
      const argv = line.replace('PREFIX', key.prefix);
      const input = argv.startsWith('import') ? 'id,name,part_number,is_active\n' : '';

      for (const role of ['entity_admin', 'manager', 'operator', 'master_data']) {
        const { code, stderr } = await cli.run(argv, { osAccount: role, input });
        expect([role, code, stderr]).toEqual([
          role,
          allowed.includes(role) ? 0 : 4,
          expect.anything(),
        ]);
        if (code === 4)
          expect((await auditTrail(cli))[0]).toMatchObject({
            outcome: 'denied',
            actor: { login: role },
          });
      }
      await cli.ok(argv, { input });
    });
  }

  it('has the whole store in hand only in the first organization, whatever the clock said when the others were made', async () => {
    await cli.ok('tenants add Other --admin other', { nowMs: startMs - 86_400_000 });
    const file = join(dirname(dirname(cli.store)), 'all.backup');
    await cli.ok(['backup', file]);
    const attempts: [action: string, ...line: string[]][] = [
      ['store.backup', 'backup', `${file}.other`],
      ['store.backup', 'backup', '--keep', '3', dirname(file)],
      ['store.restore', 'restore', file, '--yes'],
      ['store.migrate', 'migrate'],
      ['store.accept_clock', 'doctor', '--accept-clock', '--yes'],
    ];
    for (const [action, ...line] of attempts) {
      const { code, stderr } = await cli.run(line, { osAccount: 'other' });
      expect([line, code, stderr]).toEqual([
        line,
        4,
        expect.stringContaining('first organization'),
      ]);
      const [last] = (await cli.ok('audit list --json --limit 1', { osAccount: 'other' })).json<
        unknown[]
      >();
      expect(last).toMatchObject({ action, outcome: 'denied', actor: { login: 'other' } });
    }
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith('.backup'))).toEqual([
      'all.backup',
    ]);
    // After a move the first organization is still the same.
    await cli.ok(['restore', file, '--yes']);
    expect((await cli.run(['backup', `${file}.other`], { osAccount: 'other' })).code).toBe(4);
    expect((await cli.run('doctor', { osAccount: 'other' })).code).not.toBe(4);
  });

  it('sees nothing of another tenant: API key not found', async () => {
    const { key, secret } = await cli.key('A');
    await cli.ok('tenants add Other --admin other');
    for (const line of [
      `keys show ${key.id}`,
      `keys rotate ${key.prefix} --yes`,
      `keys revoke ${key.id} --yes`,
    ]) {
      const { code, stderr } = await cli.run(line, { osAccount: 'other' });
      expect([code, stderr]).toEqual([3, expect.stringContaining('API key not found')]);
    }
    const { code, stderr } = await cli.run('keys verify', { osAccount: 'other', input: secret });
    expect([code, stderr]).toEqual([3, expect.stringContaining('API key not found')]);
    expect((await cli.ok('keys list --all --json', { osAccount: 'other' })).json()).toEqual([]);
    expect((await cli.ok('tenants list --json', { osAccount: 'other' })).json()).toHaveLength(1);
    expect((await cli.run('tenants add Third --admin third', { osAccount: 'other' })).code).toBe(4);
    expect((await cli.ok('users list --json', { osAccount: 'other' })).json()).toHaveLength(1);
  });
});
