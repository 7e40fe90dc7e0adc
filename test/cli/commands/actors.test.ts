import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, startMs } from '../harness.ts';
import { auditTrail } from './audit-trail.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

describe('who acts', () => {
  it('is the profile of the OS account, else the one that --as or HKCTL_USER names', async () => {
    await cli.ok('keys list', { osAccount: 'entity_admin' });
    await cli.ok('keys list --as entity_admin', { osAccount: 'somebody' });
    await cli.ok('keys list', { osAccount: 'somebody', env: { HKCTL_USER: 'entity_admin' } });
    await cli.ok(
      [
        'keys',
        'create',
        '--name',
        'A',
        '--entity',
        'BER',
        '--preset',
        'sensor-gateway',
        '--as',
        'entity_admin',
      ],
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

  const rights: [line: string, ...may: string[]][] = [
    ['keys list', 'entity_admin'],
    ['keys create --name A --entity BER --preset sensor-gateway', 'entity_admin'],
    ['keys scan /dev/null', 'entity_admin'],
    ['users list'],
    ['users add x --name X --role operator'],
    ['users set-role operator manager'],
    ['entities list', 'entity_admin', 'manager', 'operator', 'master_data'],
    ['entities add X --name X --timezone UTC'],
    ['entities activate BER'],
    ['entities deactivate BER --yes'],
    ['entities remove CHI --yes'],
    ['tenants list'],
    ['tenants add Other --admin other'],
    ['tenants set --name Other'],
    ['import parts - --entity BER', 'master_data'],
    ['audit list'],
    ['audit verify'],
    ['audit export'],
    ['migrate'],
    ['permissions list', 'entity_admin', 'manager', 'operator', 'master_data'],
  ];
  for (const [line, ...may] of rights) {
    it(`${line}: for ${['super_user', ...may].join(', ')}`, async () => {
      for (const role of ['entity_admin', 'manager', 'operator', 'master_data']) {
        const { code, stderr } = await cli.run(line, {
          osAccount: role,
          input: 'id,name,part_number,is_active\n',
        });
        expect([role, code, stderr]).toEqual([role, may.includes(role) ? 0 : 4, expect.anything()]);
        if (code === 4)
          expect((await auditTrail(cli))[0]).toMatchObject({
            outcome: 'denied',
            actor: { login: role },
          });
      }
      await cli.ok(line, { input: 'id,name,part_number,is_active\n' });
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
