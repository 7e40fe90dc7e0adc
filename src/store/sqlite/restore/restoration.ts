import { lstatSync } from 'node:fs';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import type { KeptStopped, RestoreHooks, RestoreOutcome } from '../../../core/operations/backups.ts';
import type { Store } from '../../../core/port/store.ts';
import { startMarksAnew } from '../../archive/carried-marks.ts';
import { unknownPresent } from '../../archive/present-store.ts';
import { readBackup, readBackupHead } from '../../archive/verification.ts';
import type { StoreOptions } from '../../engine.ts';
import { servedAt } from '../../refusals.ts';
import { holdFromDaemons } from '../connection/daemon-lock.ts';
import type { Connection } from '../connection/driver.ts';
import { translating } from '../connection/errors.ts';
import { filesOf, openFile } from '../connection/files.ts';
import { migrateStore } from '../migration/migration.ts';
import { openStore } from '../opening.ts';
import { drawEpoch } from '../records/changes.ts';
import { SqliteStore } from '../store.ts';
import { holdRestore } from './prepared.ts';
import { readPresent } from './present.ts';
import { continueJournal, replayStops } from './replay.ts';
import { abandonRestore, prepareRestore, replaceStore } from './restore.ts';

/**
 * Replaces the store at a path by that of a backup; interrupted at any moment, it leaves either the old store or the new
 * one. What was stopped since the backup stays stopped: it is read once no other process can change the old store, so that
 * no stop is missed. Throws `state_forbids` while a daemon serves the store. Asks for confirmation before it copies.
 */
export async function restoreBackup(
  path: string,
  file: string,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const head = readBackupHead(file, options.migrationsFolder);
  const isReadable = await checkPresent(path, options, hooks);
  await hooks.confirm(head, isThere(path));
  // Who was asked may have lost the right meanwhile.
  if (isReadable) await checkPresent(path, options, hooks);
  return restoreFile({ path, file, isReadable }, options, hooks);
}

/** Whether any database of a store is at a path, also a damaged one, or a link. */
function isThere(path: string): boolean {
  const { registry, records, readings } = filesOf(path);
  return isAnyThere([registry, records, readings]);
}

function isAnyThere(files: readonly string[]): boolean {
  return files.some((file) => translating(file, () => lstatSync(file, { throwIfNoEntry: false }) !== undefined));
}

async function restoreFile(
  { path, file, isReadable }: { path: string; file: string; isReadable: boolean },
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const releaseRestore = holdRestore(path);
  try {
    const releaseDaemons = await keepDaemonsOut(path, options);
    try {
      const facts = await readBackup(file, options.migrationsFolder);
      const prepared = prepareRestore(path, file, options.migrationsFolder, (share) => hooks.progress?.(share));
      await migrateStore(prepared, options);
      let kept: readonly KeptStopped[] = [];
      await replaceStore(path, async (alone) => {
        const completion = { path, file, prepared, present: isReadable ? alone : undefined, isPermitted: isReadable };
        kept = await completeRestore(completion, options, hooks);
      });
      await purgeKept(path, options, kept);
      return { facts, kept };
    } finally {
      releaseDaemons();
    }
  } catch (thrown) {
    abandonRestore(path);
    throw thrown;
  } finally {
    releaseRestore();
  }
}

/**
 * Checks the permissions of the actor in the store at a path; false where there is none or it cannot be opened. Refuses a
 * store that a daemon serves, before it asks for confirmation.
 */
async function checkPresent(path: string, options: StoreOptions, { authorize }: RestoreHooks): Promise<boolean> {
  const store = openReadable(path, options);
  if (!store) return false;
  try {
    const address = await store.daemon.address();
    if (address !== undefined) throw servedAt(address, hintOfServed);
    await authorize(store);
    return true;
  } finally {
    await store.close();
  }
}

function openReadable(path: string, options: StoreOptions): Store | undefined {
  try {
    return openStore(path, { ...options, threads: undefined });
  } catch (thrown) {
    if (!isHkctlError(thrown) || !replaceable.has(thrown.code)) throw thrown;
    if (thrown.code === 'store_corrupt') requireRestOfStore(path);
    return undefined;
  }
}

/**
 * A damaged store is known by its other files. Without them the file may be anything that a mistyped `--store` names, such as
 * a database of another program or the backup itself, and is left alone.
 */
function requireRestOfStore(path: string): void {
  const { registry, ...rest } = filesOf(path);
  if (!isAnyThere([registry]) || isAnyThere(Object.values(rest))) return;
  throw new HkctlError('store_corrupt', `${path} is no store of hkctl, and no other file of one is beside it.`, {
    hint: 'Name the store with --store PATH or HKCTL_STORE. Or, if this one is damaged, move it away and restore again.',
  });
}

/** The errors of a store that cannot be opened but may be replaced by a backup. */
const replaceable: ReadonlySet<string> = new Set(['store_absent', 'store_corrupt', 'store_too_old', 'store_too_new']);

async function keepDaemonsOut(path: string, options: StoreOptions): Promise<() => void> {
  const { daemons } = filesOf(path);
  const release = holdFromDaemons(daemons);
  if (release) return release;
  const store = openReadable(path, options);
  try {
    throw servedAt(await store?.daemon.address(), hintOfServed);
  } finally {
    await store?.close();
  }
}

const hintOfServed = 'Stop it, restore, and start it again.';

interface Completion {
  path: string;
  file: string;
  /** The path of the new store. */
  prepared: string;
  /** The registry that is replaced; undefined where it cannot be read. */
  present: Connection | undefined;
  /** Whether the permissions of the actor were checked already. */
  isPermitted: boolean;
}

/** Completes the new store while the one that it replaces is locked. */
async function completeRestore(
  { path, file, prepared, present: replaced, isPermitted }: Completion,
  options: StoreOptions,
  { authorize, audit }: RestoreHooks,
): Promise<KeptStopped[]> {
  const registry: Connection = openFile(filesOf(prepared).registry);
  const store = new SqliteStore(prepared, registry, { ...options, threads: undefined });
  try {
    registry.exec('delete from daemons');
    startRecordsAnew(prepared, registry);
    const nowMs = options.clock();
    const present = replaced ? await readPresent(replaced, path, registry) : unknownPresent;
    const replay = { registry, path, file, migrationsFolder: options.migrationsFolder, nowMs };
    const replayed = replayStops({ ...replay, present });
    const { kept } = replayed;
    // In the backup somebody may be a Super user who is none any more.
    if (!isPermitted) await authorize(store);
    // A time that the store has seen stays seen, or a key that expired since could come back to life.
    if (present.clock) await store.clock.merge({ fromMs: 0, samples: present.clock });
    await audit(store, kept, present.trail);
    continueJournal(replay, replayed);
    return kept;
  } finally {
    await store.close();
  }
}

/** Ends sync tokens, too: mirrors have followed the store that is replaced, and what they have seen since the backup may be undone. */
function startRecordsAnew(prepared: string, registry: Connection): void {
  const { records } = filesOf(prepared);
  const connection = openFile(records);
  try {
    translating(records, () => {
      startMarksAnew(registry, connection);
      drawEpoch(connection);
    });
  } finally {
    connection.close();
  }
}

/** Purges the data of entities that stay removed, as their removal does. */
async function purgeKept(path: string, options: StoreOptions, kept: readonly KeptStopped[]): Promise<void> {
  if (!kept.some(({ what }) => what === 'removed_entity')) return;
  const store = openStore(path, { ...options, threads: undefined });
  try {
    // Reading the trail completes what is left undone between the files.
    await store.audit.list('', { limit: 1 });
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    throw new HkctlError(
      thrown.code,
      `The store was restored, but removed entities are not purged yet: ${thrown.message}`,
      {
        hint: 'Put that right; hkctl audit list goes on with it.',
        cause: thrown,
      },
    );
  } finally {
    await store.close();
  }
}
