import { appendFileSync, closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFile } from '../../../../../src/store/sqlite/connection/files.ts';
import { plantWithAlice, restored, tried } from '../../../../cli/commands/backups/stopped-since.ts';
import type { Cli } from '../../../../cli/harness.ts';

let cli: Cli;
let file: string;
let journal: string;
beforeEach(async () => {
  ({ cli, file, journal } = await plantWithAlice());
});

describe('what restore keeps stopped', () => {
  it.each([
    ['the store that is there', () => {}],
    [
      'the journal alone, where the store is damaged',
      () => writeFileSync(cli.store, 'x'.repeat(8192)),
    ],
    ['the journal alone, where the store is gone', () => rmSync(cli.store)],
    ['the store alone, where the journal is lost', () => rmSync(journal)],
  ])('goes by %s', async (_, lose) => {
    const { key, secret } = await cli.key('Revoked');
    const { secret: ofAlice } = await cli.key('Of Alice', ['--as', 'alice']);
    await cli.ok(['backup', file]);
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok('users deactivate alice --yes');
    await cli.ok('users set-role entity_admin operator');
    await cli.ok('entities deactivate CHI --yes');
    for (const rest of ['-wal', '-shm']) rmSync(cli.store + rest, { force: true });
    lose();
    for (let round = 0; round < 2; round++) {
      expect(await restored(cli, file)).toMatchObject({
        kept_revoked: [key.prefix],
        kept_deactivated_users: ['alice'],
        kept_demoted_users: [{ login: 'entity_admin', role: 'operator' }],
        kept_deactivated_entities: ['CHI'],
      });
      expect([(await tried(cli, secret)).code, (await tried(cli, ofAlice)).code]).toEqual([5, 5]);
      // What only one of the two knew, both know from then on.
      if (round === 0) rmSync(cli.store);
    }
  });

  it('goes by the store alone, where the journal is lost, for a removed entity, and not by another store', async () => {
    await cli.ok('entities add GON --name Gone --timezone UTC');
    const { secret } = await cli.key('Of Gone', ['--entity', 'GON']);
    await cli.ok(['backup', file]);
    const other = await plantWithAlice();
    expect(await restored(other.cli, file)).toMatchObject({ kept_removed_entities: [] });
    await cli.ok('entities remove GON --yes');
    rmSync(journal);
    for (let round = 0; round < 2; round++) {
      expect(await restored(cli, file)).toMatchObject({ kept_removed_entities: ['GON'] });
      expect((await tried(cli, secret)).code).toBe(5);
      // What only the store knew, the journal knows from then on.
      if (round === 0) rmSync(cli.store);
    }
  });

  it('goes by the journal alone, where pages of the store are damaged', async () => {
    const { key, secret } = await cli.key('Revoked');
    await cli.ok(['backup', file]);
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok('users deactivate alice --yes');
    const registry = openFile(cli.store, { busyTimeoutMs: 1000, create: false });
    const pageOf = registry
      .prepare<[string], number>('select rootpage from sqlite_master where name = ?')
      .pluck();
    const pageSize = Number(registry.pragma('page_size', { simple: true }));
    const page = Number(pageOf.get('keys'));
    registry.pragma('wal_checkpoint(TRUNCATE)');
    registry.close();
    const fd = openSync(cli.store, 'r+');
    writeSync(fd, Buffer.alloc(pageSize, 0xab), 0, pageSize, (page - 1) * pageSize);
    closeSync(fd);
    expect((await cli.run('keys list --all')).code).toBe(6);
    expect(await restored(cli, file)).toMatchObject({
      kept_revoked: [key.prefix],
      kept_deactivated_users: ['alice'],
    });
    expect((await tried(cli, secret)).code).toBe(5);
    await cli.ok('doctor');
  });

  it('goes by the last word: what was started again stays started, whatever was stopped before', async () => {
    const { secret: ofAlice } = await cli.key('Of Alice', ['--as', 'alice']);
    const { secret: ofChicago } = await cli.key('Of Chicago', ['--entity', 'CHI']);
    await cli.ok(['backup', file]);
    for (let round = 0; round < 2; round++) {
      await cli.ok('users deactivate alice --yes');
      await cli.ok('users activate alice');
      await cli.ok('users set-role alice operator');
      await cli.ok('users set-role alice super_user');
      await cli.ok('entities deactivate CHI --yes');
      await cli.ok('entities activate CHI');
    }
    const nothing = {
      kept_deactivated_users: [],
      kept_demoted_users: [],
      kept_deactivated_entities: [],
    };
    expect(await restored(cli, file)).toMatchObject(nothing);
    rmSync(cli.store);
    expect(await restored(cli, file)).toMatchObject(nothing);
    expect([(await tried(cli, ofAlice)).code, (await tried(cli, ofChicago)).code]).toEqual([0, 0]);
  });

  it('goes on from lines of an older hkctl, torn ones and names that are none', async () => {
    const { key } = await cli.key('Revoked');
    await cli.ok(['backup', file]);
    rmSync(cli.store);
    const hash = 'a'.repeat(43);
    const alice = idOfAlice(file);
    appendFileSync(
      journal,
      `2026-11-20T08:00:00.000Z revoked ${key.id} ${key.prefix} ${hash}\n` +
        `2026-11-20T08:00:00.000Z deactivated user ${alice} al`.slice(0, 60),
    );
    appendFileSync(journal, `\n2026-11-20T08:00:00.000Z role:owner user ${alice} alice\n`);
    expect(await restored(cli, file)).toMatchObject({
      kept_revoked: [key.prefix],
      kept_deactivated_users: [],
      kept_demoted_users: [],
    });
  });
});

function idOfAlice(backup: string): string {
  const database = openFile(backup, { busyTimeoutMs: 1000, create: false });
  try {
    return String(database.prepare("select id from users where login = 'alice'").pluck().get());
  } finally {
    database.close();
  }
}
