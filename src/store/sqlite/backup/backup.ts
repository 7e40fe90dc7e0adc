import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { verifyTrail } from '../../../core/audit/verification.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { BackupFacts } from '../../../core/operations/backups.ts';
import { type Connection, exactPath } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { databaseNames, filesOf, missingFile, type StoreFiles } from '../connection/files.ts';
import { readSmallFile } from '../connection/safe-files.ts';
import { createAppendAudit, createAuditStore } from '../registry/audit.ts';
import { createRegistry } from '../registry/registry.ts';
import { syncFolderOf } from '../restore/prepared.ts';
import { makeTables, migratedSchema } from '../schema/migrated-schema.ts';
import { requireOwnSchema } from '../schema/own-schema.ts';
import { backupTables, creationOf, damagedBackup, openBackup } from './backup-file.ts';
import { marks, removeLeftover, requireElsewhere, requireFreeTarget, translatingTarget } from './backup-target.ts';
import { copyAttached, createPrivate, refusingRows, syncFile } from './whole-files.ts';

/**
 * Writes all of a store into one SQLite file (mode 0600) while others read and write it. Each database is read in one
 * snapshot, that of the registry last, so that no revocation before it is missed. The file gets its name once it is
 * complete, synced and checked. Throws `state_forbids` where it exists and `force` is false.
 */
export async function writeBackup(
  path: string,
  target: string,
  nowMs: number,
  force: boolean,
  migrationsFolder: string,
): Promise<BackupFacts> {
  requireFreeTarget(target, force);
  const files = filesOf(path);
  const pending = `${target}.new`;
  // For a file that cannot be attached SQLite would only report that it cannot open the backup.
  const gone = databaseNames.map((name) => files[name]).find((file) => !existsSync(file));
  if (gone !== undefined) throw missingFile(path, gone);
  for (const file of [target, pending]) requireElsewhere(file, path);
  removeLeftover(pending);
  const backup = translatingTarget(pending, () => createPrivate(pending));
  try {
    try {
      translating(pending, () => fill(backup, files, nowMs, migrationsFolder));
    } finally {
      backup.close();
    }
    // A fault in the copy is a fault of the store.
    const facts = await readBackup(pending, migrationsFolder, (what) => damagedStore(path, what));
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

function fill(backup: Connection, files: StoreFiles, nowMs: number, migrationsFolder: string): void {
  backup.pragma(`application_id = ${marks.unfinished}`);
  for (const name of databaseNames) backup.prepare(`attach ? as ${name}`).run(exactPath(files[name]));
  backup.exec('begin');
  // The first read of a database starts its snapshot.
  for (const name of ['records', 'readings', 'registry']) {
    backup.prepare(`select count(*) from ${name}.sqlite_master`).get();
  }
  for (const statement of backupTables) backup.exec(statement);
  const put = backup.prepare('insert into backup (name, value) values (?, ?)');
  put.run('created_at_ms', nowMs);
  for (const name of databaseNames) {
    const version = Number(backup.pragma(`${name}.user_version`, { simple: true }));
    requireOwnSchema(backup, name, files[name], version, migrationsFolder, name);
    put.run(`${name}_version`, version);
    makeTables(backup, name, version, migrationsFolder);
    const { tables } = migratedSchema(name, version, migrationsFolder);
    refusingRows(
      () => copyAttached(backup, name, tables),
      () => damagedStore(files.registry, `it holds rows that its own tables forbid (${name})`),
    );
    // For older versions of hkctl, which read from it the tables to copy.
    const note = backup.prepare('insert into backup_tables (name, database) values (?, ?)');
    for (const table of tables) note.run(table.name, name);
  }
  const journal = files.revocations;
  if (existsSync(journal)) {
    backup.prepare('insert into backup_journal (text) values (?)').run(readSmallFile(journal));
  }
  backup.pragma(`application_id = ${marks.whole}`);
  backup.exec('commit');
}

/** Checks every page, reference and audit record of a backup and returns its counts; `store_corrupt` where it is damaged. */
export async function readBackup(
  file: string,
  migrationsFolder: string,
  damaged: (what: string) => HkctlError = (what) => damagedBackup(file, what),
): Promise<BackupFacts> {
  const { connection: backup } = openBackup(file, migrationsFolder);
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
    const createdAtMs = creationOf(backup);
    if (createdAtMs === undefined) throw damaged('it names no time at which it was made');
    return {
      createdAtMs,
      keys: count('keys'),
      auditRecords: count('audit'),
      damagedAuditRecords: chain.damaged,
      bytes: statSync(file).size,
    };
  } finally {
    backup.close();
  }
}

function damagedStore(path: string, what: string): HkctlError {
  return new HkctlError('store_corrupt', `The store ${path} is damaged: ${what}. No backup was written.`, {
    hint: 'Keep the last good backup; hkctl doctor and hkctl audit verify report more.',
  });
}
