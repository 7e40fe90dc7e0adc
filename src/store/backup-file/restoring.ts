import { rmSync } from 'node:fs';
import type {
  BackupDigest,
  BackupOrigin,
  RestoreHooks,
  RestoreOutcome,
} from '../../core/operations/backups.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { KeptStopped } from '../../core/port/stops.ts';
import type { Store } from '../../core/port/store.ts';
import { servedAt } from '../shared/errors.ts';
import type { StoreOptions } from '../shared/options.ts';
import type { Writing } from '../shared/registry/statements.ts';
import { entriesIn, readJournal } from '../shared/revocation-journal.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { journalIn, type OpenBackup, openBackup } from './format.ts';
import { type ReceivedBackup, receiveBackup } from './received.ts';
import {
  missingLines,
  missingRemovals,
  type PresentStore,
  readStates,
  requireLeaders,
  stopStatements,
  stopsSince,
} from './stops.ts';
import { pendingFor, removeAbandoned } from './target.ts';
import { readHead, verifyBackup } from './verification.ts';

/** What is restored: a backup, and the digest that it must have, if one is given. */
export interface RestoreSource {
  origin: BackupOrigin;
  expected: BackupDigest | undefined;
}

export interface RestoreTarget {
  /** A path in the folder that receives the backup, which only this account can write. */
  workPath: string;
  /** Whether there is a store, also one that cannot be opened. */
  isThere(): MaybePromise<boolean>;
  /** Runs something with the present store; undefined if there is none that this version can open. */
  withPresent<T>(work: (store: Store) => Promise<T>): Promise<T | undefined>;
  hintOfServed: string;
  /** Replaces the store by the rows of a backup, all or nothing. Calls `complete` when nobody else can change the old one any more. */
  replace(replacement: Replacement): Promise<void>;
}

/** How a store is replaced by a backup, which people know as `shown`. */
export interface Replacement extends OpenBackup {
  shown: string;
  isReadable: boolean;
  /** Receives how much was copied, from 0 to 1. */
  progress(share: number): void;
  /** Completes the new store; returns what it stopped. */
  complete(restored: RestoredStore): Promise<readonly KeptStopped[]>;
}

/** A new store with all rows of the backup, and what is known of the old one. */
interface RestoredStore {
  store: Store;
  registry: Writing;
  present: PresentStore;
  journal: {
    /** The text of the present one, empty if there is none. */
    text: string;
    /** Whether it names only what rows do not say any more. */
    isOfRemovals: boolean;
    add(lines: readonly string[]): MaybePromise<void>;
  };
}

/**
 * Replaces a store by a verified backup, which is received once and not looked for again; `state_forbids` while a daemon serves
 * the store. What was stopped since stays stopped: that is read once nobody else can change the old store, so that nothing is
 * missed.
 */
export async function restoreFrom(
  { origin, expected }: RestoreSource,
  target: RestoreTarget,
  options: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const check = () =>
    target.withPresent(async (store) => {
      const address = await store.daemon.address();
      if (address !== undefined) throw servedAt(address, target.hintOfServed);
      await hooks.authorize(store);
      return true;
    });
  const isReadable = (await check()) ?? false;
  hooks.requireConfirmable?.(await target.isThere());

  removeAbandoned(target.workPath, options.clock());
  const copy = pendingFor(target.workPath);
  try {
    const received = await receiveBackup(origin, copy, expected);
    const backup = openBackup(received.file, received.shown, options.migrationsFolder);
    try {
      const { shown, bytes } = received;
      const head = { ...readHead(backup, shown), bytes };
      await hooks.confirm(head, await target.isThere());
      // Who was asked may have lost the right meanwhile.
      if (isReadable) await check();

      await verifyBackup(backup, shown);
      const stops = await replace({ backup, received, isReadable }, target, options, hooks);
      return { facts: head, kept: stops, digest: received.digest };
    } finally {
      backup.connection.close();
    }
  } finally {
    rmSync(copy, { force: true });
  }
}

async function replace(
  source: { backup: OpenBackup; received: ReceivedBackup; isReadable: boolean },
  target: RestoreTarget,
  { clock }: StoreOptions,
  hooks: RestoreHooks,
): Promise<readonly KeptStopped[]> {
  const { backup, received, isReadable } = source;
  let stops: readonly KeptStopped[] = [];
  await target.replace({
    ...backup,
    shown: received.shown,
    isReadable,
    progress: (share) => hooks.progress?.(share),
    async complete(restored) {
      stops = await complete(restored, {
        backup: backup.connection,
        digest: received.digest,
        isReadable,
        nowMs: clock(),
        hooks,
      });
      return stops;
    },
  });
  return stops;
}

interface Completion {
  backup: Connection;
  digest: BackupDigest | undefined;
  isReadable: boolean;
  nowMs: number;
  hooks: RestoreHooks;
}

/** Stops in a new store whatever was stopped since its backup, and continues the journal. */
async function complete(
  { store, registry, present, journal }: RestoredStore,
  { backup, digest, isReadable, nowMs, hooks }: Completion,
): Promise<KeptStopped[]> {
  const ofBackup = journalIn(backup) ?? '';
  // On a machine without a journal that of the backup goes on.
  const lines = journal.text === '' ? entriesIn(ofBackup).map((line) => `${line}\n`) : [];
  const text = () => journal.text + lines.join('');
  if (journal.isOfRemovals) lines.push(...missingLines(text(), present.states, nowMs));
  const since = { present, journal: readJournal(text()), nowMs };
  const restored = await readStates(registry);
  const stopsToKeep = stopsSince(restored, since);
  requireLeaders(restored, stopsToKeep);
  const stops = stopsToKeep.flatMap((stopped) => stopStatements(registry.dialect, stopped));
  for (const stop of stops) await registry.query(stop);
  // In the backup somebody may be a Super user who is none any more.
  if (!isReadable) await hooks.authorize(store);
  await hooks.audit(store, { kept: stopsToKeep, replaced: present.trail, digest });
  const states = await readStates(registry);
  lines.push(...missingRemovals(text(), { kept: stopsToKeep, ofBackup, states }));
  const demoted = stopsToKeep.filter(({ kind }) => kind === 'demoted_user').map(({ id }) => id);
  const inJournals = [text(), ofBackup].flatMap((lines) => [...readJournal(lines).roles.keys()]);
  lines.push(...missingLines(text(), states, nowMs, new Set([...demoted, ...inJournals])));
  await journal.add(lines);
  return stopsToKeep;
}
