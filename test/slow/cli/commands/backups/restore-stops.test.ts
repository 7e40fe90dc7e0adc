import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf, openFile } from '../../../../../src/store/sqlite/connection/files.ts';
import { appendLines } from '../../../../../src/store/sqlite/registry/revocation-journal.ts';
import {
  as,
  entitiesNow,
  plantWithAlice,
  restored,
  tried,
  usersNow,
} from '../../../../cli/commands/backups/stopped-since.ts';
import { Cli } from '../../../../cli/harness.ts';

let cli: Cli;
let folder: string;
let file: string;
beforeEach(async () => {
  ({ cli, folder, file } = await plantWithAlice());
});

/** The number of rows that a query of the records counts. */
function countRecords(sql: string): number {
  const records = openFile(filesOf(cli.store).records, { busyTimeoutMs: 1000, create: false });
  try {
    return Number(records.prepare(sql).pluck().get());
  } finally {
    records.close();
  }
}

describe('restore', () => {
  it('keeps stopped whatever was stopped since, names it, and says so in the audit trail', async () => {
    await cli.ok('entities add GON --name Gone --timezone UTC');
    const { secret: ofAlice } = await cli.key('Of Alice', ['--as', 'alice']);
    const { secret: ofChicago } = await cli.key('Of Chicago', ['--entity', 'CHI']);
    const { secret: ofGone, key: goneKey } = await cli.key('Of Gone', ['--entity', 'GON']);
    const { secret: alive } = await cli.key('Alive');
    const sensor = '{"id":"S-1","code":"T1","name":"One","is_active":true}';
    await cli.ok('import sensors - --format ndjson --entity GON', { input: sensor });
    await cli.ok('users add omar --name Omar --role super_user');
    await cli.ok(['backup', file]);
    await cli.ok('users deactivate alice --yes');
    await cli.ok('users set-role omar entity_admin');
    await cli.ok('entities deactivate CHI --yes');
    await cli.ok('entities remove GON --yes');
    for (const secret of [ofAlice, ofChicago, ofGone])
      expect((await tried(cli, secret)).code).toBe(5);
    const { head_hash: head, records } = (await cli.ok('audit verify --json')).json();

    const answer = await restored(cli, file);
    expect(answer).toMatchObject({
      kept_revoked: [],
      kept_deactivated_users: ['alice'],
      kept_demoted_users: [{ login: 'omar', role: 'entity_admin' }],
      kept_deactivated_entities: ['CHI'],
      kept_removed_entities: ['GON'],
    });
    expect(await tried(cli, ofAlice)).toMatchObject({
      code: 5,
      text: expect.stringMatching(/profile|creator|user/i),
    });
    expect((await tried(cli, ofChicago)).code).toBe(5);
    expect((await tried(cli, ofGone)).code).toBe(5);
    expect((await tried(cli, alive)).code).toBe(0);
    expect((await cli.show(goneKey.id)).entity).toBeNull();
    expect(await usersNow(cli)).toMatchObject({
      alice: 'super_user inactive',
      omar: 'entity_admin active',
    });
    expect(await entitiesNow(cli)).toEqual({ BER: 'active', CHI: 'inactive' });
    expect((await cli.run('users list', as('alice'))).code).toBe(4);
    expect((await cli.run('users list', as('omar'))).code).toBe(4);
    expect(countRecords('select count(*) from sensors')).toBe(0);
    expect(countRecords('select count(*) from record_entities')).toBe(0);

    const events = (await cli.ok('audit list --json --limit 20')).json<Record<string, unknown>[]>();
    const after = events
      .slice(0, events.findIndex(({ action }) => action === 'store.restore') + 1)
      .reverse();
    expect(after.slice(0, 5)).toMatchObject([
      {
        action: 'store.restore',
        detail: {
          replaced_head: head,
          replaced_records: records,
          keys_kept_revoked: 0,
          users_kept_deactivated: 1,
          users_kept_demoted: 1,
          entities_kept_deactivated: 1,
          entities_kept_removed: 1,
        },
      },
      { action: 'user.deactivate', target: 'alice', detail: { by: 'journal' } },
      { action: 'user.set_role', target: 'omar', detail: { by: 'journal', role: 'entity_admin' } },
      { action: 'entity.deactivate', target: 'CHI', detail: { by: 'journal' } },
      { action: 'entity.remove', target: 'GON', detail: { by: 'journal' } },
    ]);
    await cli.ok('audit verify');
    await cli.ok('doctor');
  });

  it('names it to people too', async () => {
    await cli.ok(['backup', file]);
    await cli.ok('users deactivate alice --yes');
    await cli.ok('users set-role entity_admin operator');
    await cli.ok('entities remove CHI --yes');
    await cli.ok('entities deactivate BER --yes');
    const { stdout } = await cli.ok(['restore', file, '--yes']);
    expect(stdout.split('\n').slice(1)).toEqual([
      'Users deactivated since then, and still inactive: alice',
      'Users demoted since then, with the role they were given: entity_admin (operator)',
      'Entities deactivated since then, and still inactive: BER',
      'Entities removed since then, and still removed: CHI',
      '',
    ]);
  });

  it('keeps users confined to the entities that they were left since', async () => {
    const listOf = async (osAccount: string) =>
      (await cli.ok('entities list --json', as(osAccount)))
        .json<{ code: string }[]>()
        .map(({ code }) => code);
    await cli.ok('entities add HAM --name Hamburg --timezone Europe/Berlin');
    const add = ['users', 'add', '--role', 'entity_admin', '--name', 'x'];
    await cli.ok([...add, 'narrowed']);
    await cli.ok([...add, 'moved', '--entity', 'BER', '--entity', 'CHI']);
    await cli.ok([...add, 'widened', '--entity', 'BER']);
    await cli.ok([...add, 'same', '--entity', 'CHI']);
    await cli.ok('users add promoted --role super_user --name x');
    await cli.ok(['backup', file]);
    await cli.ok('users set-role narrowed entity_admin --entity BER');
    await cli.ok('users set-role moved entity_admin --entity CHI --entity HAM');
    await cli.ok('users set-role widened entity_admin --all-entities');
    await cli.ok('users set-role same entity_admin --all-entities');
    await cli.ok('users set-role same entity_admin --entity CHI');
    await cli.ok('users set-role promoted entity_admin --entity CHI');
    for (const lost of [false, true]) {
      // Without a store to ask, the journal says the same.
      if (lost)
        for (const name of ['hkctl.db', 'hkctl.db-wal'])
          rmSync(join(dirname(cli.store), name), { force: true });
      const answer = await restored(cli, file);
      expect([...(answer.kept_confined_users ?? [])].sort()).toEqual([
        'moved',
        'narrowed',
        'promoted',
      ]);
      expect(await listOf('narrowed')).toEqual(['BER']);
      expect(await listOf('moved')).toEqual(['CHI']);
      expect(await listOf('widened')).toEqual(['BER']);
      expect(await listOf('same')).toEqual(['CHI']);
      expect(await listOf('promoted')).toEqual(['CHI']);
    }
    const trail = (await cli.ok('audit list --json --limit 20')).json<
      { target: string; action: string; detail: object }[]
    >();
    expect(trail.find(({ target }) => target === 'narrowed')).toMatchObject({
      ...{ action: 'user.set_role', detail: { by: 'journal', entities: 'BER' } },
    });
  });

  it('starts nothing: what the backup has stopped is stopped, though it was started since', async () => {
    await cli.ok('users deactivate alice --yes');
    await cli.ok('entities deactivate CHI --yes');
    await cli.ok('users set-role entity_admin operator');
    await cli.ok(['backup', file]);
    await cli.ok('users activate alice');
    await cli.ok('entities activate CHI');
    await cli.ok('users set-role entity_admin super_user');
    await restored(cli, file);
    expect(await usersNow(cli)).toMatchObject({
      alice: 'super_user inactive',
      entity_admin: 'operator active',
    });
    expect(await entitiesNow(cli)).toMatchObject({ CHI: 'inactive' });
  });

  it('gives a role that holds other rights than the one in the backup, and none that holds the same', async () => {
    await cli.ok(['backup', file]);
    await cli.ok('users set-role entity_admin master_data');
    await cli.ok('users set-role manager operator');
    expect(await restored(cli, file)).toMatchObject({
      kept_demoted_users: [{ login: 'entity_admin', role: 'master_data' }],
    });
    expect(await usersNow(cli)).toMatchObject({
      entity_admin: 'master_data active',
      manager: 'manager active',
    });
  });

  it('keeps a removed entity removed where another has its code since', async () => {
    const { key, secret } = await cli.key('Of Chicago', ['--entity', 'CHI']);
    await cli.ok(['backup', file]);
    await cli.ok('entities remove CHI --yes');
    await cli.ok('entities add CHI --name Again --timezone UTC');
    expect(await restored(cli, file)).toMatchObject({ kept_removed_entities: ['CHI'] });
    expect((await tried(cli, secret)).code).toBe(5);
    expect((await cli.show(key.id)).entity).toBeNull();
    expect(await entitiesNow(cli)).toEqual({ BER: 'active' });
  });

  it('throws no entity away that is there: its removal was noted and failed', async () => {
    await cli.ok(['backup', file]);
    const entities = (await cli.ok('entities list --json')).json<{ id: string; code: string }[]>();
    const id = entities.find(({ code }) => code === 'CHI')?.id;
    // A process that was killed before the commit leaves the log of the store, too.
    const holder = openFile(cli.store);
    holder.prepare('select 1 from keys').get();
    appendLines(filesOf(cli.store).revocations, [
      `${new Date(cli.nowMs).toISOString()} removed entity ${id} CHI\n`,
    ]);
    expect(await entitiesNow(cli)).toMatchObject({ CHI: 'active' });
    holder.close();
    expect(await restored(cli, file)).toMatchObject({
      kept_removed_entities: [],
      kept_deactivated_entities: [],
    });
    expect(await entitiesNow(cli)).toMatchObject({ CHI: 'active' });
  });

  it('leaves no organization without a Super user: it is refused, with two ways to go on', async () => {
    await cli.ok('users set-role alice operator');
    await cli.ok(['backup', file]);
    await cli.ok('users add bob --name Bob --role super_user');
    await cli.ok('users deactivate root --yes', as('bob'));
    const before = (await cli.ok('audit verify --json', as('bob'))).json();
    const refused = await cli.run(['restore', file, '--yes', '--json'], as('bob'));
    expect([refused.code, refused.error()]).toMatchObject([
      5,
      {
        code: 'state_forbids',
        message: expect.stringMatching(/\(root\).*Acme/),
        hint: expect.stringContaining('--store'),
      },
    ]);
    expect((await cli.ok('audit verify --json', as('bob'))).json()).toEqual(before);
    expect((await cli.run('users list', as('root'))).code).toBe(4);
    await cli.ok('users list', as('bob'));

    // Elsewhere there is no journal that knows better.
    const other = new Cli(join(folder, 'other', 'hkctl.db'));
    await other.ok(['restore', file, '--yes']);
    await other.ok('users add bob --name Bob --role super_user');
    await other.ok(['backup', `${file}.2`]);
    await cli.ok(['restore', `${file}.2`, '--yes'], as('bob'));
    expect((await cli.run('users list', as('root'))).code).toBe(4);
    await cli.ok('users list', as('bob'));

    // Or somebody whom it knows is given the role again.
    await cli.ok('users set-role alice super_user', as('bob'));
    expect((await cli.run(['restore', file, '--yes', '--json'], as('bob'))).code).toBe(5);
    await cli.ok('users activate root', as('bob'));
    await cli.ok(['restore', file, '--yes'], as('bob'));
    await cli.ok('users list', as('root'));
  });

  it('is not for a Super user of the backup who is none any more, where the store cannot be asked', async () => {
    await cli.ok(['backup', file]);
    await cli.ok('users set-role alice operator');
    writeFileSync(cli.store, 'x'.repeat(8192));
    expect((await cli.run(['restore', file, '--yes'], as('alice'))).code).toBe(4);
    expect(readFileSync(cli.store, 'utf8')).toBe('x'.repeat(8192));
    expect(existsSync(cli.store.replace('.db', '.restored.db'))).toBe(false);
    await cli.ok(['restore', file, '--yes']);
  });
});
