import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errnoOf, HkctlError } from '../../core/errors.ts';
import { requireClosed, resolvePath } from '../../core/files/named-path.ts';
import { unwritable } from '../../core/files/path-faults.ts';
import { compactInstant } from '../../core/operations/backups.ts';
import { toDomainError, translating } from '../sqlite-file/errors.ts';

const noExchange =
  'Use standard output: hkctl backup - > FILE. Or name a folder that only this account can write.';

/**
 * The path of a new file in a folder in which no other account can exchange it; `bad_input` for any other. The folder of the
 * store itself is as closed as the store.
 */
export function closedTarget(target: string, ownFolder: string | undefined): string {
  return translatingTarget(target, () => {
    const folder = dirname(resolve(target));
    if (ownFolder !== undefined && isSameFolder(folder, ownFolder)) return resolve(target);
    const namedPath = resolvePath(target, { followsLast: false });
    requireClosed(namedPath, noExchange);
    return namedPath.path;
  });
}

/** The same for a folder in which backups are kept. */
export function closedTargetFolder(folder: string): string {
  return dirname(closedTarget(join(folder, 'a.backup'), undefined));
}

function isSameFolder(one: string, other: string): boolean {
  const [first, second] = [statSync(one), statSync(other)];
  return first.dev === second.dev && first.ino === second.ino;
}

/**
 * Refuses a file that exists without `force` (`state_forbids`), and always a link and what is no regular file (`bad_input`):
 * the backup would take its place.
 */
export function requireTarget(target: string, force: boolean): void {
  translatingTarget(target, () => {
    const stats = lstatSync(target, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (stats.isSymbolicLink()) {
      throw new HkctlError('bad_input', `${target} cannot be written: it is a link.`, {
        hint: 'Give the path that it leads to, if that is what you mean.',
      });
    }
    if (!force) {
      throw new HkctlError('state_forbids', `${target} is there already; nothing was written.`, {
        hint: 'Give another name, or --force to replace it once the new backup is whole.',
      });
    }
    if (stats.isFile()) return;
    const obstacle = stats.isDirectory() ? 'it is a folder' : 'it is not a regular file';
    throw new HkctlError('bad_input', `${target} cannot be written: ${obstacle}.`, {
      hint: 'Give the name of a new file.',
    });
  });
}

/** The path of a backup of an older store, with a number if the name is taken: that may be the only copy. */
export function beforeMigration(folder: string, name: string, atMs: number): string {
  const path = join(folder, `${name}.before-migrate-${compactInstant(atMs)}`);
  let target = `${path}.backup.gz`;
  for (let count = 2; lstatSync(target, { throwIfNoEntry: false }); count++)
    target = `${path}-${count}.backup.gz`;
  return target;
}

/** A path under which a backup is written until it is complete: a name of its own, which no other process uses. */
export function pendingFor(target: string): string {
  return `${target}.hkctl-${randomBytes(6).toString('hex')}.new`;
}

const pendingName = /\.hkctl-[0-9a-f]{12}\.new$/;
/** Between the last byte and the end of its check, a backup of terabytes takes some hours. */
const abandonedAfterMs = 86_400_000;

/** Removes the incomplete backups of processes that were killed from the folder of a backup, which no other account can write. */
export function removeAbandoned(target: string, nowMs: number): void {
  const folder = dirname(target);
  const remove = (file: string) => {
    const stats = lstatSync(file);
    if (stats.isFile() && stats.mtimeMs < nowMs - abandonedAfterMs) rmSync(file);
  };
  ifPossible(() => {
    const names = readdirSync(folder).filter((name) => pendingName.test(name));
    for (const name of names) ifPossible(() => remove(join(folder, name)));
  });
}

/** A file may belong to another account, or be removed by another process at the same time. */
function ifPossible(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
  }
}

/** Runs something on the file that a person named; a fault of its path is `bad_input`, not a fault of the store. */
export function translatingTarget<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw unwritable(file, thrown) ?? toDomainError(thrown, file);
  }
}

const privateFolderStart = 'hkctl-backup-';

/**
 * Makes a folder that only this account can enter, for a store that has none of its own; the caller removes it. Removes the
 * folders that killed processes of this account have left, with the incomplete backups in them.
 */
export function makePrivateFolder(nowMs: number): string {
  return translating(tmpdir(), () => {
    ifPossible(() => {
      const names = readdirSync(tmpdir()).filter((name) => name.startsWith(privateFolderStart));
      for (const name of names)
        ifPossible(() => removeAbandonedFolder(join(tmpdir(), name), nowMs));
    });
    return mkdtempSync(join(tmpdir(), privateFolderStart));
  });
}

function removeAbandonedFolder(folder: string, nowMs: number): void {
  const stats = lstatSync(folder);
  const isOwn = stats.isDirectory() && stats.uid === process.geteuid?.();
  if (!isOwn || stats.mtimeMs >= nowMs - abandonedAfterMs) return;
  removeAbandoned(join(folder, 'hkctl'), nowMs);
  rmdirSync(folder);
}
