import { closeSync, constants, fsyncSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { HkctlError } from '../../core/errors.ts';
import { createFile, giveTo, syncFolderOf } from '../../core/files/new-file.ts';
import {
  type BackupTarget,
  isCompressedName,
  type WrittenBackup,
} from '../../core/operations/backups.ts';
import type { BackupRequest } from '../../core/operations/engine.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { toDomainError, translating } from '../sqlite-file/errors.ts';
import { createPrivate, isOfRow, writeAll } from './copying.ts';
import {
  beginBackup,
  completeBackup,
  copyWithDigest,
  type OpenBackup,
  openBackup,
} from './format.ts';
import {
  closedTarget,
  pendingFor,
  removeAbandoned,
  requireTarget,
  translatingTarget,
} from './target.ts';
import { readHead, verifyBackup } from './verification.ts';

export interface BackupSource {
  migrationsFolder: string;
  /** Copies all tables in the transaction of the backup; returns the journal, if any. */
  copyTo(backup: Connection): string | undefined | Promise<string | undefined>;
  /** The store, as a sentence that names its damage begins. */
  shown: string;
  /** A path in the folder in which the backup is written and checked, which only this account can write. */
  workPath: string;
  /** The folder of the store, if the backup may go there although other accounts can write it. */
  ownFolder?: string | undefined;
}

/**
 * Writes a backup next to `workPath`, checks it and copies it to its target. A file (mode 0600) gets its name once it is complete
 * and synced; if anything fails, nothing is left. Throws `state_forbids` if the file exists and `force` is false.
 */
export async function writeBackupFrom(
  source: BackupSource,
  target: BackupTarget,
  request: BackupRequest,
): Promise<WrittenBackup> {
  if (typeof target !== 'string')
    return writeAndCheck(source, request, (pending) =>
      copyOut(pending, (bytes) => target.write(bytes)),
    );

  const targetPath = closedTarget(target, source.ownFolder);
  requireTarget(targetPath, request.force);
  removeAbandoned(targetPath, request.nowMs);
  return writeAndCheck(source, request, (pending) =>
    copyToFile(pending, targetPath, { shown: target, force: request.force }),
  );
}

async function writeAndCheck(
  source: BackupSource,
  request: BackupRequest,
  deliver: (pending: string) => CopiedBackup,
): Promise<WrittenBackup> {
  removeAbandoned(source.workPath, request.nowMs);
  const pending = pendingFor(source.workPath);
  try {
    await writeRows(source, pending, request);
    const head = await checkRows(source, pending);
    return { ...head, ...deliver(pending) };
  } finally {
    rmSync(pending, { force: true });
  }
}

async function writeRows(
  { copyTo, shown, workPath }: BackupSource,
  pending: string,
  { nowMs, number = 0 }: BackupRequest,
): Promise<void> {
  const backup = translating(workPath, () => createPrivate(pending));
  try {
    backup.pragma(`user_version = ${number}`);
    backup.exec('begin');
    beginBackup(backup, nowMs);
    completeBackup(backup, await copyTo(backup));
    backup.exec('commit');
  } catch (thrown) {
    throw isOfRow(thrown)
      ? damagedStore(shown, 'it holds rows that its own tables forbid')
      : toDomainError(thrown, workPath);
  } finally {
    backup.close();
  }
}

async function checkRows({ migrationsFolder, shown }: BackupSource, pending: string) {
  const damaged: OpenBackup['damaged'] = (fault) => damagedStore(shown, fault);
  const backup = openBackup(pending, shown, migrationsFolder, damaged);
  try {
    const head = readHead(backup, shown);
    await verifyBackup(backup, shown);
    return head;
  } finally {
    backup.connection.close();
  }
}

function copyToFile(
  pending: string,
  targetPath: string,
  { shown, force }: { shown: string; force: boolean },
): CopiedBackup {
  const unnamedPath = pendingFor(targetPath);
  try {
    return translatingTarget(shown, () => {
      const targetFd = createFile(unnamedPath);
      let copied: CopiedBackup;
      try {
        giveTo(lstatSync(targetPath, { throwIfNoEntry: false }), targetFd);
        const write = (bytes: Uint8Array) => writeAll(targetFd, bytes);
        copied = copyOut(pending, write, isCompressedName(targetPath));
        fsyncSync(targetFd);
      } finally {
        closeSync(targetFd);
      }
      // Another process may have written one of the same name meanwhile.
      requireTarget(targetPath, force);
      renameSync(unnamedPath, targetPath);
      syncFolderOf(targetPath);
      return copied;
    });
  } catch (thrown) {
    rmSync(unnamedPath, { force: true });
    throw thrown;
  }
}

/** The size of a backup in its target, and its digest. */
type CopiedBackup = Pick<WrittenBackup, 'bytes' | 'digest'>;

/** Copies a whole backup; compressed, each piece is a member of a gzip file (RFC 1952, section 2.2). */
function copyOut(
  pending: string,
  write: (bytes: Uint8Array) => void,
  isCompressed = false,
): CopiedBackup {
  const pendingFd = openSync(pending, constants.O_RDONLY | constants.O_NOFOLLOW);
  let bytes = 0;
  try {
    const digest = copyWithDigest(pendingFd, (piece) => {
      const written = isCompressed ? gzipSync(piece, { level: 1 }) : piece;
      write(written);
      bytes += written.length;
    });
    return { bytes, digest };
  } finally {
    closeSync(pendingFd);
  }
}

function damagedStore(shown: string, fault: string): HkctlError {
  return new HkctlError('store_corrupt', `${shown} is damaged: ${fault}. No backup was written.`, {
    hint: 'Keep the last good backup; hkctl doctor and hkctl audit verify report more.',
  });
}
