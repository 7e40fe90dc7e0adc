import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';
import { press } from './keyboard.ts';

let cli: Cli;
let key: { id: string; prefix: string };
beforeEach(async () => {
  cli = await new Cli().seed();
  await cli.ok('users add alice --name Alice --role super_user');
  ({ key } = await cli.key('Gateway'));
});

const terminal = { columns: 100, rows: 30 };
const statusOf = async () =>
  (await cli.ok(`keys show ${key.id} --json`)).json<{ status: string }>().status;
const demote = () => cli.ok('users set-role alice operator');
const deactivate = () => cli.ok('users deactivate alice --yes');

describe('a profile that is stopped while its question is open', () => {
  it.each([
    ['keys revoke', 'demoted', demote, () => ['keys', 'revoke', key.id]],
    ['keys revoke', 'deactivated', deactivate, () => ['keys', 'revoke', key.id]],
    ['keys rotate', 'demoted', demote, () => ['keys', 'rotate', key.id]],
    ['entities deactivate', 'demoted', demote, () => ['entities', 'deactivate', 'CHI']],
    ['users deactivate', 'deactivated', deactivate, () => ['users', 'deactivate', 'operator']],
  ])('may no longer answer that of %s (%s)', async (_, __, stop, argv) => {
    const { code, stderr } = await cli.run(argv(), {
      osAccount: 'alice',
      terminal,
      keys: [{ on: 'Cancel', type: press.down, meanwhile: stop }, press.enter],
    });
    expect([code, stderr]).toEqual([4, expect.stringMatching(/was changed meanwhile|is inactive/)]);
    expect(await statusOf()).toBe('Active');
    expect((await cli.ok('entities list')).stdout).not.toContain('inactive');
    expect((await cli.ok('users list --json')).json<unknown[]>()).toContainEqual(
      expect.objectContaining({ login: 'operator', status: 'active' }),
    );
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({ action: 'profile.use', outcome: 'denied', target: 'alice' });
  });

  it('removes no entity, restores nothing and creates no key', async () => {
    const file = join(dirname(dirname(cli.store)), 'plant.backup');
    await cli.ok(['backup', file]);
    const promote = () => cli.ok('users set-role alice super_user');
    const as = { osAccount: 'alice', terminal };
    const removed = await cli.run('entities remove CHI', {
      ...as,
      keys: [{ on: 'Type CHI', type: `CHI${press.enter}`, meanwhile: demote }],
    });
    await promote();
    const restored = await cli.run(['restore', file], {
      ...as,
      keys: [{ on: 'Cancel', type: press.down, meanwhile: demote }, press.enter],
    });
    await promote();
    const created = await cli.run(
      'keys create --entity BER --permission parts.view --expires never',
      {
        ...as,
        keys: [
          { on: 'Name', type: `new${press.enter}` },
          { on: 'Cancel', type: press.down, meanwhile: demote },
          press.enter,
        ],
      },
    );
    expect([removed.code, restored.code, created.code]).toEqual([4, 4, 4]);
    expect((await cli.ok('entities list')).stdout).toContain('CHI');
    expect((await cli.ok('audit list')).stdout).not.toContain('replaced_head');
    expect((await cli.ok('keys list --json')).json<unknown[]>()).toHaveLength(1);
  });

  it('rotates nothing on the settings page, which ends', async () => {
    const page = await cli.run('keys', {
      osAccount: 'alice',
      terminal,
      keys: ['r', { on: 'Cancel', type: press.down, meanwhile: demote }, press.enter],
    });
    expect([page.code, await statusOf()]).toEqual([4, 'Active']);
    const later = await cli.run('keys', {
      osAccount: 'entity_admin',
      terminal,
      keys: [
        { on: 'Quit', type: 'j', meanwhile: () => cli.ok('users set-role entity_admin operator') },
      ],
    });
    expect([later.code, later.stderr]).toEqual([
      4,
      expect.stringContaining('was changed meanwhile'),
    ]);
  });
});
