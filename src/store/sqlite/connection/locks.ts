import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, HkctlError, isHkctlError } from '../../../core/errors.ts';
import { stopCommand } from '../../../core/operations/settings.ts';
import { servedAt } from '../../shared/errors.ts';
import { type Connection, openDatabase } from '../../sqlite-file/driver.ts';
import { translating } from '../../sqlite-file/errors.ts';
import { filesOf, openFile, pause } from './files.ts';

/*
 * File locks show whether a daemon serves a store: they end with the process that holds them, however it ends, and hold
 * across containers. A process id does neither. Each daemon holds a shared lock on an empty file next to the store, a restore
 * an exclusive one.
 */

const daemonWaitsMs = 2000;
/** How long a restore tries again: a command that checks for a daemon holds the lock for a moment. */
const restoreWaitsMs = 1000;

/** Takes the lock of a daemon until the returned function is called or the process ends; `state_forbids` during a restore. */
export function holdAsDaemon(lockFile: string): () => void {
  const lock = lockShared(lockFile, daemonWaitsMs);
  if (lock) return () => lock.close();
  throw new HkctlError(
    'state_forbids',
    'A restore of this store is in progress; the daemon was not started.',
    {
      hint: 'Start it once the restore has ended.',
    },
  );
}

/**
 * Whether a daemon serves the store, if this process may write `lockFile`; else undefined, since it could take no exclusive lock. Call
 * it under the registry's write lock: two at once would take each other for a daemon.
 */
export function seesServed(lockFile: string): boolean | undefined {
  try {
    accessSync(existsSync(lockFile) ? lockFile : dirname(lockFile), constants.W_OK);
  } catch (thrown) {
    if (errnoOf(thrown) === undefined) throw thrown;
    return undefined;
  }
  return isServed(lockFile);
}

/** Whether a daemon serves the store. Call it under the registry's write lock: two at once would take each other for one. */
export function isServed(lockFile: string): boolean {
  const lock = lockExclusive(lockFile);
  if (lock) {
    lock.close();
    return false;
  }
  // The lock of a restore is exclusive, the locks of daemons are shared.
  const shared = lockShared(lockFile, 0);
  shared?.close();
  return shared !== undefined;
}

/** Locks daemons and other restores out of a store until the returned function is called; `state_forbids` if one is at work. */
export function lockOutDaemons(storePath: string, hint: string): () => void {
  const { daemons } = filesOf(storePath);
  const release = holdFromDaemons(daemons);
  if (release) return release;
  if (isServed(daemons)) throw servedAt(undefined, hint);
  throw new HkctlError(
    'state_forbids',
    `Another process migrates or restores the store ${storePath}.`,
    {
      hint: 'Wait until it has ended.',
    },
  );
}

/** Locks daemons out until the returned function is called or the process ends; undefined if one serves. */
export function holdFromDaemons(
  lockFile: string,
  waitMs = restoreWaitsMs,
): (() => void) | undefined {
  for (const deadlineMs = performance.now() + waitMs; ; pause(20)) {
    const lock = lockExclusive(lockFile);
    if (lock) return () => lock.close();
    if (performance.now() > deadlineMs) return undefined;
  }
}

/** Takes the exclusive lock of a file that exists for nothing else, until it is closed; undefined if another has one. */
export function lockExclusive(lockFile: string): Connection | undefined {
  // An empty file gets a first page in every transaction that writes; the journal of a process that is killed would stay behind.
  return lockWith(lockFile, 0, (lock) =>
    lock.exec('pragma journal_mode = memory; begin exclusive'),
  );
}

/** A transaction that has read keeps its shared lock, even on an empty file. */
function lockShared(lockFile: string, timeoutMs: number): Connection | undefined {
  return lockWith(lockFile, timeoutMs, (lock) => {
    lock.exec('begin');
    lock.prepare('select count(*) from sqlite_master').get();
  });
}

function lockWith(
  lockFile: string,
  timeoutMs: number,
  acquire: (lock: Connection) => void,
): Connection | undefined {
  return translating(lockFile, () => {
    // An existing one is not opened: closing it would release the locks that this process has on it (POSIX).
    if (!existsSync(lockFile)) closeSync(openSync(lockFile, 'a', 0o600));
    const lock = openDatabase(lockFile, { timeout: timeoutMs, fileMustExist: true });
    try {
      acquire(lock);
      return lock;
    } catch (thrown) {
      lock.close();
      if (errnoOf(thrown) === 'SQLITE_BUSY') return undefined;
      throw thrown;
    }
  });
}

const openAloneWaitsMs = 3000;

/** Opens a database once no other process has it open, else throws `state_forbids`; `lock` runs while no other process can open it. */
export function openAlone(
  databaseFile: string,
  storePath: string,
  lock: (connection: Connection) => void,
): Connection {
  for (const deadlineMs = performance.now() + openAloneWaitsMs; ; pause(20)) {
    let connection: Connection | undefined;
    try {
      connection = openFile(databaseFile, { busyTimeoutMs: 0 });
      const lockedConnection = connection;
      translating(storePath, () => {
        lockedConnection.pragma('main.locking_mode = exclusive');
        lock(lockedConnection);
      });
      return connection;
    } catch (thrown) {
      connection?.close();
      if (!isHkctlError(thrown) || thrown.code !== 'store_locked') throw thrown;
      if (performance.now() < deadlineMs) continue;
      throw new HkctlError(
        'state_forbids',
        `Another process has the store ${storePath} open; nothing was changed.`,
        {
          hint: `Stop the daemon (under systemd: ${stopCommand}) and every other hkctl, and try again.`,
          cause: thrown,
        },
      );
    }
  }
}
