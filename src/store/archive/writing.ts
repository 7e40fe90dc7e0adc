import { renameSync, rmSync } from 'node:fs';
import { HkctlError } from '../../core/errors.ts';
import type { BackupFacts } from '../../core/operations/backups.ts';
import type { BackupRequest } from '../../core/operations/engine.ts';
import type { Connection } from '../sqlite-database/driver.ts';
import { toDomainError } from '../sqlite-database/errors.ts';
import { beginBackup, completeBackup } from './format.ts';
import { createPrivate, isOfRow, syncFile, syncFolderOf } from './rows.ts';
import { pendingFor, removeAbandoned, requireTarget, translatingTarget } from './target.ts';
import { readBackup } from './verification.ts';

export interface BackupSource {
  migrationsFolder: string;
  /** Copies all tables in the transaction of the backup; returns the journal, if any. */
  copyTo(backup: Connection): string | undefined | Promise<string | undefined>;
  /** The store, as a sentence that names its damage begins. */
  shown: string;
}

/**
 * Writes a backup (mode 0600), which gets its name once it is complete, synced and checked; if anything fails, nothing is left.
 * Throws `state_forbids` if the file exists and `force` is false.
 */
export async function writeBackupFrom(
  { migrationsFolder, copyTo, shown }: BackupSource,
  target: string,
  { nowMs, force, number = 0 }: BackupRequest,
): Promise<BackupFacts> {
  const damaged = (what: string) =>
    new HkctlError('store_corrupt', `${shown} is damaged: ${what}. No backup was written.`, {
      hint: 'Keep the last good backup; hkctl doctor and hkctl audit verify report more.',
    });
  requireTarget(target, force);
  removeAbandoned(target, nowMs);
  const pending = pendingFor(target);
  const backup = translatingTarget(target, () => createPrivate(pending));
  try {
    try {
      backup.pragma(`user_version = ${number}`);
      backup.exec('begin');
      beginBackup(backup, nowMs);
      completeBackup(backup, await copyTo(backup));
      backup.exec('commit');
    } catch (thrown) {
      throw isOfRow(thrown)
        ? damaged('it holds rows that its own tables forbid')
        : toDomainError(thrown, target);
    } finally {
      backup.close();
    }
    const facts = await readBackup(pending, migrationsFolder, damaged);
    translatingTarget(target, () => {
      syncFile(pending);
      // Another process may have written one of the same name meanwhile.
      requireTarget(target, force);
      renameSync(pending, target);
      syncFolderOf(target);
    });
    return facts;
  } catch (thrown) {
    rmSync(pending, { force: true });
    throw thrown;
  }
}
