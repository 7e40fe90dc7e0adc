import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { engineAt } from '../../../src/store/open.ts';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import { appendLines } from '../../../src/store/sqlite/registry/revocation-journal.ts';
import type { Connection } from '../../../src/store/sqlite-file/driver.ts';
import { storeOptions } from '../../store/stores.ts';
import { entitiesNow, tried, usersNow } from '../commands/backups/stopped-since.ts';
import { Cli } from '../harness.ts';

let folder: string;
let cli: Cli;
/** Keeps the store open, as a daemon does: commits stay in the logs. */
let holder: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-copied-'));
  cli = await new Cli().seed();
  await cli.ok('users add alice --name Alice --role super_user');
  holder = openFile(cli.store);
  holder.prepare('select 1 from keys').get();
});
afterEach(() => {
  holder.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A copy of the store with its journal, and with its logs or without them. */
function copied(name: string, { withLog }: { withLog: boolean }): Cli {
  const copy = new Cli(join(folder, name, 'hkctl.db'));
  mkdirSync(dirname(copy.store), { mode: 0o700 });
  const [from, to] = [filesOf(cli.store), filesOf(copy.store)];
  for (const file of ['registry', 'records', 'readings', 'revocations'] as const) {
    for (const end of withLog ? ['', '-wal'] : [''])
      if (existsSync(from[file] + end)) copyFileSync(from[file] + end, to[file] + end);
  }
  return copy;
}

const lastEvents = async (copy: Cli, limit: number) =>
  (await copy.ok(`audit list --json --limit ${limit}`)).json<
    { action: string; target: string; detail: { by?: string } }[]
  >();

describe('a store that was copied without its log', () => {
  it('stops again what the journal says, names it, and says so in the audit trail', async () => {
    const [revoked, rotated, alive] = [
      await cli.key('Revoked'),
      await cli.key('Rotated'),
      await cli.key('Alive'),
    ];
    holder.pragma('wal_checkpoint(truncate)');
    await cli.ok(['keys', 'revoke', revoked.key.id, '--yes']);
    await cli.ok(['keys', 'rotate', rotated.key.id, '--yes', '--json']);
    await cli.ok('users deactivate manager --yes');
    await cli.ok('users set-role entity_admin operator');
    await cli.ok('entities deactivate BER --yes');
    await cli.ok('entities remove CHI --yes');

    const copy = copied('one', { withLog: false });
    const { stderr } = await copy.ok('keys list --all');
    for (const name of [
      revoked.key.prefix,
      rotated.key.prefix,
      'manager',
      'operator',
      'BER',
      'CHI',
    ])
      expect(stderr).toContain(name);
    expect(stderr).not.toContain(alive.key.prefix);
    expect((await tried(copy, revoked.secret)).code).toBe(5);
    expect((await tried(copy, rotated.secret)).code).toBe(5);
    expect(await usersNow(copy)).toMatchObject({
      manager: 'manager inactive',
      entity_admin: 'operator active',
    });
    expect(await entitiesNow(copy)).toEqual({ BER: 'inactive' });
    const events = await lastEvents(copy, 6);
    expect(events.map(({ action }) => action).sort()).toEqual([
      'entity.deactivate',
      'entity.remove',
      'key.revoke',
      'key.revoke',
      'user.deactivate',
      'user.set_role',
    ]);
    expect(events.every(({ detail }) => detail.by === 'journal')).toBe(true);
    await copy.ok('audit verify');
    expect((await copy.ok('keys list --all')).stderr).toBe('');
  });

  it('leaves started what was started again since', async () => {
    holder.pragma('wal_checkpoint(truncate)');
    await cli.ok('users deactivate manager --yes');
    await cli.ok('users activate manager');
    const copy = copied('one', { withLog: false });
    expect((await copy.ok('users list')).stderr).toBe('');
    expect(await usersNow(copy)).toMatchObject({ manager: 'manager active' });
  });

  it('is refused if nobody could act in it any more, and is replaced by a backup', async () => {
    const backup = join(folder, 'plant.backup');
    holder.pragma('wal_checkpoint(truncate)');
    await cli.ok('users add bob --name Bob --role super_user');
    await cli.ok('users deactivate alice --yes');
    await cli.ok('users deactivate root --yes', { osAccount: 'bob' });
    await cli.ok(['backup', backup], { osAccount: 'bob' });
    const copy = copied('one', { withLog: false });
    const { code, stderr } = await copy.run('keys list');
    expect([code, stderr]).toEqual([6, expect.stringContaining('nobody could act in Acme')]);
    await copy.ok(['restore', backup, '--yes'], { osAccount: 'bob' });
    await copy.ok('keys list', { osAccount: 'bob' });
  });
});

describe('a store with its log', () => {
  it('is opened as it is: of a change that was cut off before its commit nothing is stopped', async () => {
    const { key } = await cli.key('Cut off');
    const line = `${new Date(cli.nowMs).toISOString()} revoked ${key.id} ${key.prefix} ${'h'.repeat(43)}\n`;
    appendLines(filesOf(cli.store).revocations, [line]);
    expect(await cli.show(key.id)).toMatchObject({ status: 'Active' });
    holder.close();
    // The log is gone with the last process that had the store open.
    expect(existsSync(`${cli.store}-wal`)).toBe(false);
    expect(await cli.show(key.id)).toMatchObject({ status: 'Active' });
  });

  it('stops nothing of a change that was cut off while a daemon had it open, which then ended', async () => {
    const daemon = await engineAt(cli.store, storeOptions).open();
    await daemon.openAll();
    const { key } = await cli.key('Cut off');
    const line = `${new Date(cli.nowMs).toISOString()} revoked ${key.id} ${key.prefix} ${'h'.repeat(43)}\n`;
    appendLines(filesOf(cli.store).revocations, [line]);

    holder.close();
    await daemon.close();
    expect(existsSync(`${cli.store}-wal`)).toBe(false);
    const shown = await cli.ok(['keys', 'show', key.id, '--json']);
    expect(shown.json()).toMatchObject({ status: 'Active' });
    expect(shown.stderr).toBe('');
  });

  it('loses nothing of it in a copy', async () => {
    const { key } = await cli.key('Revoked');
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    const copy = copied('one', { withLog: true });
    const before = await lastEvents(copy, 1);
    expect(await copy.show(key.id)).toMatchObject({ status: 'Revoked' });
    expect(await lastEvents(copy, 1)).toEqual(before);
  });

  it('is not written by a command that only reads, once it has what the journal says', async () => {
    const { key } = await cli.key('Revoked');
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    await cli.ok('keys list');
    const before = statSync(`${cli.store}-wal`);
    const version = holder.pragma('data_version', { simple: true });
    await cli.ok('permissions list');
    await cli.ok('keys list');
    expect(statSync(`${cli.store}-wal`).size).toBe(before.size);
    expect(holder.pragma('data_version', { simple: true })).toBe(version);
  });
});
