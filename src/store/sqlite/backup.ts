import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { verifyTrail } from '../../core/audit-verification.ts';
import type { BackupFacts } from '../../core/backups.ts';
import { HkctlError } from '../../core/errors.ts';
import { createAppendAudit, createAuditStore } from './audit.ts';
import { marks, removeLeftover, requireElsewhere, requireFreeTarget, translatingTarget } from './backup-target.ts';
import { type Connection, openDatabase } from './driver.ts';
import { toDomainError, translating } from './errors.ts';
import { type DatabaseName, databaseNames, filesOf, lacksFile } from './files.ts';
import { syncFolderOf } from './prepared.ts';
import { createRegistry } from './registry.ts';
import { readSmallFile } from './safe-files.ts';
import { requireNotNewer } from './schema-versions.ts';
import { copyTables, createPrivate, syncFile } from './whole-files.ts';

/**
 * Writes all of a store into one SQLite file (mode 0600) while others read and write it. What the three databases hold
 * is read as they are at one moment; the registry last, so that no revocation before it is missed. The file gets its name
 * once it is whole, synced and checked. Throws `state_forbids` where it is there and `force` was not given.
 */
export async function writeBackup(path: string, target: string, nowMs: number, force: boolean): Promise<BackupFacts> {
  requireFreeTarget(target, force);
  const files = filesOf(path);
  if (files.revocations === null) throw new Error('a store in memory has no backup');
  const pending = `${target}.new`;
  // SQLite would say of a file that cannot be attached only that it cannot open the backup.
  const gone = databaseNames.map((name) => files[name]).find((file) => !existsSync(file));
  if (gone !== undefined) throw lacksFile(path, gone);
  for (const file of [target, pending]) requireElsewhere(file, path);
  removeLeftover(pending);
  const backup = translatingTarget(pending, () => createPrivate(pending));
  try {
    try {
      translating(pending, () => fill(backup, files, nowMs));
    } finally {
      backup.close();
    }
    // A copy has the faults of what was copied.
    const facts = await readBackup(pending, (what) => damagedStore(path, what));
    translatingTarget(target, () => {
      syncFile(pending);
      renameSync(pending, target);
      syncFolderOf(target);
    });
    return facts;
  } catch (thrown) {
    rmSync(pending, { force: true });
    throw thrown;
  }
}

function fill(backup: Connection, files: ReturnType<typeof filesOf>, nowMs: number): void {
  backup.pragma(`application_id = ${marks.unfinished}`);
  for (const name of databaseNames) backup.prepare(`attach ? as ${name}`).run(files[name]);
  backup.exec('begin');
  // The first look at a database is the moment as which it is read from then on.
  for (const name of ['records', 'readings', 'registry']) {
    backup.prepare(`select count(*) from ${name}.sqlite_master`).get();
  }
  backup.exec(`create table backup (name text primary key, value integer not null) without rowid;
    create table backup_tables (name text primary key, database text not null) without rowid;
    create table backup_journal (text text not null)`);
  const put = backup.prepare('insert into backup (name, value) values (?, ?)');
  put.run('created_at_ms', nowMs);
  for (const name of databaseNames) {
    put.run(`${name}_version`, Number(backup.pragma(`${name}.user_version`, { simple: true })));
    const tables = copyTables(backup, name, 'main');
    const note = backup.prepare('insert into backup_tables (name, database) values (?, ?)');
    for (const table of tables) note.run(table, name);
  }
  const journal = files.revocations;
  if (journal !== null && existsSync(journal)) {
    backup.prepare('insert into backup_journal (text) values (?)').run(readSmallFile(journal));
  }
  backup.pragma(`application_id = ${marks.whole}`);
  backup.exec('commit');
}

/** Opens a backup for reading; `bad_input` where a file is none, `store_too_new` where a newer hkctl made it. */
export function openBackup(file: string): Connection {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new HkctlError('bad_input', `There is no file ${file}.`);
  if (stats.isDirectory()) throw new HkctlError('bad_input', `${file} is a folder, and no backup.`);
  // SQLite would wait for whoever writes to a FIFO.
  if (!stats.isFile()) throw new HkctlError('bad_input', `${file} is no plain file, and no backup.`);
  let backup: Connection | undefined;
  try {
    backup = openDatabase(file, { readonly: true, fileMustExist: true });
    if (backup.pragma('application_id', { simple: true }) !== marks.whole) throw noBackup(file);
    for (const name of databaseNames) requireNotNewer(backup, name, file, versionIn(backup, name));
    return backup;
  } catch (thrown) {
    backup?.close();
    if (isNoDatabase(thrown)) throw noBackup(file);
    throw toDomainError(thrown, file);
  }
}

/** How many migrations a database had when the backup was made. */
export function versionIn(backup: Connection, name: DatabaseName): number {
  return Number(backup.prepare('select value from backup where name = ?').pluck().get(`${name}_version`));
}

/** Checks every page, reference and audit record of a backup and tells what is in it; `store_corrupt` where it is damaged. */
export async function readBackup(
  file: string,
  damaged: (what: string) => HkctlError = (what) => damagedBackup(file, what),
): Promise<BackupFacts> {
  const backup = openBackup(file);
  try {
    const damage = translating(file, () => backup.pragma('integrity_check(1)', { simple: true }));
    if (damage !== 'ok') throw damaged(String(damage));
    const loose = translating(file, () => backup.prepare('pragma foreign_key_check').all());
    if (loose.length > 0) throw damaged(`${loose.length} rows refer to rows that are not there`);
    const registry = createRegistry(backup, file);
    const trail = createAuditStore(registry, createAppendAudit(registry), () => {});
    const chain = await verifyTrail(trail);
    if (chain.broken !== null) throw damaged(`audit record ${chain.broken.seq}: ${chain.broken.reason}`);
    const count = (table: string) => Number(backup.prepare(`select count(*) from ${table}`).pluck().get());
    return {
      createdAtMs: Number(backup.prepare("select value from backup where name = 'created_at_ms'").pluck().get()),
      keys: count('keys'),
      auditRecords: count('audit'),
      damagedAuditRecords: chain.damaged,
      bytes: statSync(file).size,
    };
  } finally {
    backup.close();
  }
}

/** The error of a file that is no backup: `bad_input`. */
export function noBackup(file: string): HkctlError {
  return new HkctlError('bad_input', `${file} is no backup of hkctl.`, {
    hint: 'Give a file that was made with: hkctl backup FILE',
  });
}

function damagedStore(path: string, what: string): HkctlError {
  return new HkctlError('store_corrupt', `The store ${path} is damaged: ${what}. No backup was written.`, {
    hint: 'Keep the last good backup; hkctl doctor and hkctl audit verify tell more.',
  });
}

function damagedBackup(file: string, what: string): HkctlError {
  return new HkctlError('store_corrupt', `The backup ${file} is damaged: ${what}.`, {
    hint: 'Nothing was changed. Take another backup.',
  });
}

function isNoDatabase(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'SQLITE_NOTADB';
}
