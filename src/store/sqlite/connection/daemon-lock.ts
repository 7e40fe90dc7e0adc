import { closeSync, lstatSync, openSync } from 'node:fs';
import { HkctlError } from '../../../core/errors.ts';
import { servedAt } from '../../engine/refusals.ts';
import { type Connection, openDatabase } from '../../sqlite-database/driver.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { filesOf, isCode } from './files.ts';

/*
 * File locks show whether a daemon serves a store: they end with the process that holds them, however it ends, and hold
 * across containers. A process id does neither. Each daemon holds a shared lock on an empty file next to the store, a restore
 * an exclusive one.
 */

/** How long a daemon that starts waits for a restore that is about to end. */
const daemonWaitsMs = 2000;
/** How long a restore tries again: a command that checks for a daemon holds the lock for a moment. */
const restoreWaitsMs = 1000;

/** Takes the lock of a daemon until the returned function is called or the process ends; `state_forbids` during a restore. */
export function holdAsDaemon(file: string): () => void {
  const lock = lockShared(file, daemonWaitsMs);
  if (lock) return () => lock.close();
  throw new HkctlError('state_forbids', 'A restore of this store is in progress; the daemon was not started.', {
    hint: 'Start it once the restore has ended.',
  });
}

/** Whether a daemon serves the store. Call it under the registry's write lock: two at once would take each other for one. */
export function isServed(file: string): boolean {
  const lock = lockExclusive(file);
  if (lock) {
    lock.close();
    return false;
  }
  // The lock of a restore is exclusive, the locks of daemons are shared.
  const shared = lockShared(file, 0);
  shared?.close();
  return shared !== undefined;
}

/** Replaces files of the store at a path while no daemon serves it and no other process replaces them; else `state_forbids`. */
export async function withoutDaemons<T>(path: string, hint: string, work: () => Promise<T>): Promise<T> {
  const { daemons } = filesOf(path);
  const release = holdFromDaemons(daemons);
  if (!release) {
    if (isServed(daemons)) throw servedAt(undefined, hint);
    throw new HkctlError('state_forbids', `Another process migrates or restores the store ${path}.`, {
      hint: 'Wait until it has ended.',
    });
  }
  try {
    return await work();
  } finally {
    release();
  }
}

/** Locks daemons out until the returned function is called or the process ends; undefined if one serves. */
export function holdFromDaemons(file: string): (() => void) | undefined {
  for (const deadlineMs = performance.now() + restoreWaitsMs; ; pause()) {
    const lock = lockExclusive(file);
    if (lock) return () => lock.close();
    if (performance.now() > deadlineMs) return undefined;
  }
}

/** Takes the exclusive lock of a file that exists for nothing else, until it is closed; undefined if another has one. */
export function lockExclusive(file: string): Connection | undefined {
  // An empty file gets a first page in every transaction that writes; the journal of a process that is killed would stay behind.
  return lockWith(file, 0, (lock) => lock.exec('pragma journal_mode = memory; begin exclusive'));
}

/** A transaction that has read keeps its shared lock, even on an empty file. */
function lockShared(file: string, timeoutMs: number): Connection | undefined {
  return lockWith(file, timeoutMs, (lock) => {
    lock.exec('begin');
    lock.prepare('select count(*) from sqlite_master').get();
  });
}

function lockWith(file: string, timeoutMs: number, take: (lock: Connection) => void): Connection | undefined {
  return translating(file, () => {
    makeEmpty(file);
    const lock = openDatabase(file, { timeout: timeoutMs, fileMustExist: true });
    try {
      take(lock);
      return lock;
    } catch (thrown) {
      lock.close();
      if (isCode(thrown, 'SQLITE_BUSY')) return undefined;
      throw thrown;
    }
  });
}

/**
 * Creates the file if it is missing. An existing one is not opened: closing it would release the locks that this process
 * has on it (POSIX). A link is not followed.
 */
function makeEmpty(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile()) return;
  if (found) {
    throw new HkctlError('store_unreadable', `${file} is not a regular file, as a lock file must be.`, {
      hint: 'Remove it; hkctl creates it again.',
    });
  }
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (thrown) {
    // Another process created it in the meantime.
    if (!isCode(thrown, 'EEXIST')) throw thrown;
  }
}

/** Waits a moment, in which nothing else of this process runs. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
