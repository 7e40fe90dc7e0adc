import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import type { BackupHead, KeptStopped, RestoreHooks, RestoreOutcome } from '../../../core/operations/backups.ts';
import type { Store } from '../../../core/port/store.ts';
import { migrateStore, openStore } from '../../open.ts';
import type { StoreOptions } from '../../options.ts';
import { readBackup } from '../backup/backup.ts';
import { readBackupHead } from '../backup/backup-head.ts';
import { holdFromDaemons } from '../connection/daemon-lock.ts';
import type { Connection } from '../connection/driver.ts';
import { filesOf, openFile } from '../connection/files.ts';
import { SqliteStore } from '../store.ts';
import { holdRestore } from './prepared.ts';
import { type PresentStore, readPresent, unknownPresent } from './present.ts';
import { replayStops } from './replay.ts';
import { abandonRestore, prepareRestore, replaceStore } from './restore.ts';

const busyTimeoutMs = 5000;

/** Where a backup comes from. */
export interface BackupSource {
  /** What it says of itself. */
  head(): BackupHead;
  /** Runs something with the path of a file that this process can read. */
  use<T>(work: (file: string) => Promise<T>): Promise<T>;
}

/** A backup in a file that this process can read. */
export function backupIn(file: string, { migrationsFolder }: Pick<StoreOptions, 'migrationsFolder'>): BackupSource {
  return { head: () => readBackupHead(file, migrationsFolder), use: (work) => work(file) };
}

/**
 * Puts the store of a backup at a path: the old store or the new one is there afterwards, whenever it is cut off. Whatever
 * was stopped since stays so: that is read once nobody else can change the old store, so that none is missed. Throws
 * `state_forbids` while a daemon serves the store. Asks before it copies anything.
 */
export async function restoreBackup(
  path: string,
  source: BackupSource,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const head = source.head();
  const isReadable = await checkPresent(path, options, hooks);
  await hooks.confirm(head);
  return source.use((file) => restoreFile(path, file, isReadable, options, hooks));
}

async function restoreFile(
  path: string,
  file: string,
  isReadable: boolean,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const letGo = holdRestore(path);
  try {
    const letDaemonsIn = await keepDaemonsOut(path, options);
    try {
      const facts = await readBackup(file, options.migrationsFolder);
      const prepared = prepareRestore(path, file, options.migrationsFolder);
      await migrateStore(prepared, options);
      let kept: readonly KeptStopped[] = [];
      await replaceStore(path, async (alone) => {
        const present = alone && isReadable ? await readPresent(alone, path) : unknownPresent;
        kept = await completeRestore({ path, file, prepared, present, isPermitted: isReadable }, options, hooks);
      });
      await purgeKept(path, options, kept);
      return { facts, kept };
    } finally {
      letDaemonsIn();
    }
  } catch (thrown) {
    abandonRestore(path);
    throw thrown;
  } finally {
    letGo();
  }
}

/**
 * Checks the permissions of the actor in the store at a path; false where there is none, or none that can be opened any more. Refuses where a
 * daemon serves it, before anybody is asked.
 */
async function checkPresent(path: string, options: StoreOptions, { authorize }: RestoreHooks): Promise<boolean> {
  const store = openReadable(path, options);
  if (!store) return false;
  try {
    const address = await store.daemon.address();
    if (address !== undefined) throw servedAt(address);
    await authorize(store);
    return true;
  } finally {
    await store.close();
  }
}

function openReadable(path: string, options: StoreOptions): Store | undefined {
  try {
    return openStore(path, { ...options, writerThread: undefined });
  } catch (thrown) {
    if (isHkctlError(thrown) && replaceable.has(thrown.code)) return undefined;
    throw thrown;
  }
}

/** Why a store cannot be opened that a backup may replace. */
const replaceable: ReadonlySet<string> = new Set(['store_absent', 'store_corrupt', 'store_too_old', 'store_too_new']);

async function keepDaemonsOut(path: string, options: StoreOptions): Promise<() => void> {
  const { daemons } = filesOf(path);
  if (daemons === null) return () => {};
  const letIn = holdFromDaemons(daemons);
  if (letIn) return letIn;
  const store = openReadable(path, options);
  try {
    throw servedAt(await store?.daemon.address());
  } finally {
    await store?.close();
  }
}

function servedAt(address: string | undefined): HkctlError {
  const where = address === undefined ? '' : ` at ${address}`;
  return new HkctlError('state_forbids', `A daemon serves this store${where}; nothing was changed.`, {
    hint: 'Stop it, restore, and start it again.',
  });
}

interface Completion {
  path: string;
  file: string;
  /** Where the store is that was put together. */
  prepared: string;
  present: PresentStore;
  /** Whether the permissions of the actor were checked already. */
  isPermitted: boolean;
}

/** The last touches to a store that was put together, while the one that it replaces is locked. */
async function completeRestore(
  { path, file, prepared, present, isPermitted }: Completion,
  options: StoreOptions,
  { authorize, audit }: RestoreHooks,
): Promise<KeptStopped[]> {
  const registry: Connection = openFile(filesOf(prepared).registry, { busyTimeoutMs, create: false });
  const store = new SqliteStore(prepared, registry, { ...options, busyTimeoutMs, writerThread: undefined });
  try {
    registry.exec('delete from daemons');
    const nowMs = options.clock();
    const kept = replayStops({ registry, path, file, migrationsFolder: options.migrationsFolder, present, nowMs });
    // In the backup somebody may be a Super user who is none any more.
    if (!isPermitted) await authorize(store);
    // A time that the store has seen stays seen, or a key that expired since could come back to life.
    if (present.clock) await store.clock.bring({ fromMs: 0, looks: present.clock });
    await audit(store, kept, present.trail);
    return kept;
  } finally {
    await store.close();
  }
}

/** Takes away what belonged to entities that stay removed, as removing them does. */
async function purgeKept(path: string, options: StoreOptions, kept: readonly KeptStopped[]): Promise<void> {
  if (!kept.some(({ what }) => what === 'removed_entity')) return;
  const store = openStore(path, { ...options, writerThread: undefined });
  try {
    // The first to read the trail ends what is half done between the files.
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
