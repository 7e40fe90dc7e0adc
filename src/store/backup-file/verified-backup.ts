import { closeSync, renameSync, rmSync, statSync } from 'node:fs';
import { verifyTrail } from '../../core/audit/verification.ts';
import type { HkctlError } from '../../core/errors.ts';
import type { BackupFacts } from '../../core/operations/backups.ts';
import type { Connection } from '../sqlite/connection/driver.ts';
import { translating } from '../sqlite/connection/errors.ts';
import { faultsOfChunks } from '../sqlite/readings/chunks/verification.ts';
import { createAppendAudit, createAuditStore } from '../sqlite/registry/audit.ts';
import { createRegistry } from '../sqlite/registry/registry.ts';
import { syncFolderOf } from '../sqlite/restore/prepared.ts';
import { firstWithChunks } from '../sqlite/schema/schema-versions.ts';
import { creationOf, damagedBackup, openBackup } from './backup-file.ts';
import {
  beingWritten,
  createPending,
  isAt,
  marks,
  removeLeftover,
  requireFreeTarget,
  translatingTarget,
} from './backup-target.ts';
import { columnOfUnknownValue } from './known-values.ts';
import { openUnlogged, syncFile } from './whole-files.ts';

/** A backup to be written. */
interface VerifiedBackup {
  /** The path of the file. */
  target: string;
  /** Whether it may replace an older one. */
  force: boolean;
  /** Its number in a series. */
  number?: number | undefined;
  migrationsFolder: string;
  /** Writes all tables and rows into the new file, all or none. */
  fill(backup: Connection): void | Promise<void>;
  /** The error where the copy is damaged, which is a fault of the store. */
  damaged(what: string): HkctlError;
}

/**
 * Writes a backup under a name of its own (mode 0600). It gets the name `target` once it is complete, synced and checked; where
 * anything fails, nothing is left.
 */
export async function writeVerified({
  target,
  force,
  number = 0,
  migrationsFolder,
  fill,
  damaged,
}: VerifiedBackup): Promise<BackupFacts> {
  const pending = pendingOf(target);
  removeLeftover(pending);
  // Open until the end, so that it is not mistaken for the file of another process.
  const own = createPending(pending);
  let facts: BackupFacts;
  try {
    const backup = translatingTarget(pending, () => openUnlogged(pending));
    try {
      // Holds its lock from the first write until it is closed: another process then takes it for no leftover.
      backup.pragma('main.locking_mode = exclusive');
      backup.pragma(`application_id = ${marks.unfinished}`);
      backup.pragma(`user_version = ${number}`);
      await fill(backup);
    } finally {
      backup.close();
    }
    facts = await readBackup(pending, migrationsFolder, damaged);
    translatingTarget(target, () => {
      syncFile(pending);
      if (!isAt(pending, own)) throw beingWritten(pending);
      // Another process that wrote under the same name is done by now.
      requireFreeTarget(target, force);
      renameSync(pending, target);
    });
  } catch (thrown) {
    // Whatever it was, the file of another process is not ours to remove.
    if (!isAt(pending, own)) throw beingWritten(pending);
    rmSync(pending, { force: true });
    throw thrown;
  } finally {
    closeSync(own);
  }
  translatingTarget(target, () => syncFolderOf(target));
  return facts;
}

/** The path under which a backup is written until it is complete. */
export function pendingOf(target: string): string {
  return `${target}.new`;
}

/** Checks every page, reference and audit record of a backup and returns its counts; `store_corrupt` where it is damaged. */
export async function readBackup(
  file: string,
  migrationsFolder: string,
  damaged: (what: string) => HkctlError = (what) => damagedBackup(file, what),
): Promise<BackupFacts> {
  const { connection: backup, versions } = openBackup(file, migrationsFolder);
  try {
    const damage = translating(file, () => backup.pragma('integrity_check(1)', { simple: true }));
    if (damage !== 'ok') throw damaged(String(damage));
    const loose = translating(file, () => backup.prepare('pragma foreign_key_check').all());
    if (loose.length > 0) throw damaged(`${loose.length} rows refer to rows that are not there`);
    const unknown = translating(file, () => columnOfUnknownValue(backup));
    if (unknown !== undefined) throw damaged(`${unknown} has a value that hkctl does not know`);
    const fault = versions.readings < firstWithChunks ? undefined : translating(file, () => faultOfReadings(backup));
    if (fault !== undefined) throw damaged(fault);
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

/** A backup has no log: a restore would read all of it into memory. */
function faultOfReadings(backup: Connection): string | undefined {
  if (backup.prepare('select 1 from log').get() !== undefined) return 'it has readings outside of chunks';
  const [fault] = faultsOfChunks(backup);
  return fault;
}
