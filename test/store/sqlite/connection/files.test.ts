import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyChain } from '../../../../src/core/audit/chain.ts';
import { HkctlError } from '../../../../src/core/errors.ts';
import type { StoreOptions } from '../../../../src/store/shared/options.ts';
import { filesOf, openFile } from '../../../../src/store/sqlite/connection/files.ts';
import {
  createStore,
  migrateStore,
  requireNoStore,
} from '../../../../src/store/sqlite/migration.ts';
import { openStore } from '../../../../src/store/sqlite/opening.ts';
import {
  databaseNames,
  initialVersions,
  schemaVersions,
} from '../../../../src/store/sqlite-file/schema/schema-versions.ts';
import { draftOf, fileStore, newKey, nowMs, plantIn } from '../../stores.ts';

const options: StoreOptions = {
  clock: () => nowMs,
  migrationsFolder: join(process.cwd(), 'migrations'),
};
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function closedStore(): Promise<string> {
  const path = join(emptyFolder(), 'hkctl.db');
  await (await createStore(path, options)).close();
  return path;
}

/** Runs SQL on one file of a store, as somebody with another tool could. */
function tamper(file: string, sql: string): void {
  const connection = openFile(file, { busyTimeoutMs: 100, create: false });
  connection.exec(sql);
  connection.close();
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the files', () => {
  it('are for their owner only, the folder that is made too, whatever the umask', async () => {
    const folder = join(emptyFolder(), 'a', 'b');
    const path = join(folder, 'plant.db');
    const umask = process.umask(0);
    try {
      const store = await createStore(path, options);
      const plant = await plantIn(store);
      const key = newKey(plant, 1);
      await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', key.prefix));
      await store.keys.revoke([key.id], plant.user.id, nowMs, []);
      await store.audit.list(plant.tenant.id, { limit: 1 });
      const names = readdirSync(folder).sort();
      expect(names).toEqual(
        expect.arrayContaining([
          'plant.db',
          'plant.db-wal',
          'plant.records.db',
          'plant.readings.db',
        ]),
      );
      expect(names).toContain('plant.revocations');
      for (const name of names) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600]);
      expect([modeOf(folder), modeOf(dirname(folder))]).toEqual([0o700, 0o700]);
      await store.close();
    } finally {
      process.umask(umask);
    }
  });

  it('sync every commit, keep foreign keys and write ahead', async () => {
    const path = await closedStore();
    for (const name of databaseNames) {
      const connection = openFile(filesOf(path)[name], { busyTimeoutMs: 100, create: false });
      expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(connection.pragma('synchronous', { simple: true })).toBe(2);
      expect(connection.pragma('foreign_keys', { simple: true })).toBe(1);
      expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
      connection.close();
    }
  });

  it('are never made over a store, not even over a part of one', async () => {
    const path = await closedStore();
    const before = readFileSync(path);
    await expect(createStore(path, options)).rejects.toMatchObject({ code: 'already_initialised' });
    rmSync(path);
    await expect(createStore(path, options)).rejects.toMatchObject({ code: 'already_initialised' });
    expect(readdirSync(dirname(path))).not.toContain(basename(path));
    expect(before.length).toBeGreaterThan(0);
  });

  it('say what to do where they are missing', () => {
    const path = join(emptyFolder(), 'none.db');
    expect(() => openStore(path, options)).toThrow(
      expect.objectContaining({
        code: 'store_absent',
        hint: expect.stringContaining('hkctl init'),
      }),
    );
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('are never made in the database of another program', async () => {
    const path = join(emptyFolder(), 'other.db');
    openFile(path, { busyTimeoutMs: 100, create: true })
      .exec('create table bookmarks (url text)')
      .close();
    const refused = expect.objectContaining({
      code: 'store_corrupt',
      message: expect.stringContaining('not one of hkctl'),
    });
    expect(() => openStore(path, options)).toThrow(refused);
    expect(() => requireNoStore(path)).toThrow(refused);
    await expect(migrateStore(path, options)).rejects.toEqual(refused);
  });

  it('say so where they are no database, or damaged', async () => {
    const path = join(emptyFolder(), 'hkctl.db');
    const fd = openSync(path, 'w');
    writeSync(fd, 'this is a text, and a long one at that; no database at all '.repeat(100));
    closeSync(fd);
    expect(() => openStore(path, options)).toThrow(
      expect.objectContaining({ code: 'store_corrupt', hint: expect.stringContaining('backup') }),
    );
    const damaged = await closedStore();
    const file = openSync(damaged, 'r+');
    writeSync(file, Buffer.alloc(statSync(damaged).size - 4096, 0xab), 0, undefined, 4096);
    closeSync(file);
    expect(() => openStore(damaged, options).tenants.list()).toThrow(
      expect.objectContaining({ code: 'store_corrupt' }),
    );
  });

  it('wait for another writer, then say that they are locked', async () => {
    const path = await closedStore();
    const holder = openFile(path, { busyTimeoutMs: 100, create: false });
    onTestFinished(() => void holder.close());
    const impatient = openFile(path, { busyTimeoutMs: 50, create: false });
    impatient.close();
    holder.exec('begin immediate');
    const store = openStore(path, { ...options, busyTimeoutMs: 300 });
    onTestFinished(() => store.close());
    const before = performance.now();
    expect(() => store.audit.append(draftOf('x', 'key.list', 'x'))).toThrow(
      expect.objectContaining({ code: 'store_locked', hint: expect.stringContaining('Try again') }),
    );
    expect(performance.now() - before).toBeGreaterThan(250);
    expect(store.tenants.list()).toEqual([]);
    holder.exec('rollback');
    await store.audit.append(draftOf('x', 'key.list', 'x'));
  });
});

describe('the version', () => {
  it.each(databaseNames)('of %s counts on from the one that its first migration makes', (name) => {
    const journal: { entries: unknown[] } = JSON.parse(
      readFileSync(join(options.migrationsFolder, name, 'meta', '_journal.json'), 'utf8'),
    );
    expect(schemaVersions[name]).toBe(initialVersions[name] + journal.entries.length - 1);
  });

  it('of an older and of a newer hkctl is refused, each with what to do', async () => {
    const path = await closedStore();
    tamper(filesOf(path).readings, 'pragma user_version = 0');
    const store = openStore(path, options);
    onTestFinished(() => store.close());
    expect(() => store.readings.states([1])).toThrow(
      expect.objectContaining({
        code: 'store_too_old',
        hint: expect.stringContaining('hkctl migrate'),
      }),
    );
    tamper(path, 'pragma user_version = 99');
    expect(() => openStore(path, options)).toThrow(
      expect.objectContaining({ code: 'store_too_new' }),
    );
    await expect(migrateStore(path, options)).rejects.toMatchObject({ code: 'store_too_new' });
  });

  it('is checked in the other files too', async () => {
    const path = await closedStore();
    tamper(filesOf(path).readings, 'pragma user_version = 99');
    const store = openStore(path, options);
    onTestFinished(() => store.close());
    expect(() => store.readings.states([1])).toThrow(
      expect.objectContaining({ code: 'store_too_new' }),
    );
  });

  it('is brought up by a migration, unless its check refuses', async () => {
    const path = await closedStore();
    const { readings } = filesOf(path);
    for (const file of [readings, `${readings}-wal`, `${readings}-shm`])
      rmSync(file, { force: true });
    openFile(readings, { busyTimeoutMs: 100, create: true }).close();
    const refusal = new HkctlError('not_permitted', 'no');
    const refuse = () => {
      throw refusal;
    };
    await expect(migrateStore(path, options, refuse)).rejects.toBe(refusal);
    expect(await migrateStore(path, options)).toEqual({
      applied: schemaVersions.readings - initialVersions.readings + 1,
    });
    const store = openStore(path, options);
    onTestFinished(() => store.close());
    expect((await store.readings.states([1])).get(1)).toMatchObject({ reading: undefined });
  });

  it('needs no migration once it is there', async () => {
    const path = await closedStore();
    expect(await migrateStore(path, options)).toEqual({ applied: 0 });
  });
});

describe('the audit chain', () => {
  const chainOf = async (sql: string) => {
    const { store, path, remove } = await fileStore();
    onTestFinished(remove);
    await store.audit.append(draftOf('t', 'store.init', 'event 1'));
    for (let n = 2; n <= 10; n++) await store.audit.append(draftOf('t', 'key.list', `event ${n}`));
    tamper(path, sql);
    return { store, report: await verifyChain(store.audit.walk()) };
  };

  it.each([
    ['altered', "update audit set target = 'event 0' where seq = 4", 4],
    ['altered by its detail', `update audit set detail = '{"a":1}' where seq = 4`, 4],
    ['removed', 'delete from audit where seq = 4', 4],
    [
      'put in again at another place',
      'delete from audit where seq = 4; insert into audit select 4, tenant_id, at_ms, action, actor_id, actor_login, os_account, target, outcome, detail, previous_hash, hash from audit where seq = 7',
      4,
    ],
    [
      'reordered',
      'update audit set seq = 100 where seq = 4; update audit set seq = 4 where seq = 5; update audit set seq = 5 where seq = 100',
      4,
    ],
  ])('names a record that was %s', async (_, sql, seq) => {
    expect((await chainOf(sql)).report.broken?.seq).toBe(seq);
  });

  it('keeps the gap of a tail that was cut off, whatever is appended later', async () => {
    const { store, report } = await chainOf('delete from audit where seq > 7');
    expect(report.broken).toBeNull();
    expect(await store.audit.lastSeq()).toBe(10);
    for (let n = 0; n < 5; n++) await store.audit.append(draftOf('t', 'key.list', 'later'));
    expect((await verifyChain(store.audit.walk())).broken).toMatchObject({ seq: 8 });
  });
});
