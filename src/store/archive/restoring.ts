import type { KeptStopped, RestoreHooks, RestoreOutcome } from '../../core/operations/backups.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Store } from '../../core/port/store.ts';
import { servedAt } from '../engine/errors.ts';
import { entriesIn, readJournal } from '../engine/journal-lines.ts';
import type { StoreOptions } from '../engine/options.ts';
import type { Statements } from '../registry/statements.ts';
import type { Connection } from '../sqlite-database/driver.ts';
import { journalIn, type OpenBackup, openBackup } from './format.ts';
import {
  missingLines,
  missingRemovals,
  type PresentStore,
  readStates,
  stopStatements,
  stopsSince,
} from './stops.ts';
import { readBackup, readBackupHead } from './verification.ts';

export interface RestoreTarget {
  /** Whether there is a store, also one that cannot be opened. */
  isThere(): MaybePromise<boolean>;
  /** Runs something with the present store; undefined if there is none that this version can open. */
  withPresent<T>(work: (store: Store) => Promise<T>): Promise<T | undefined>;
  hintOfServed: string;
  /** Replaces the store by the rows of a backup, all or nothing. Calls `complete` when nobody else can change the old one any more. */
  replace(replacement: Replacement): Promise<void>;
}

/** How a store is replaced, by the backup at the path `file`. */
export interface Replacement extends OpenBackup {
  file: string;
  isReadable: boolean;
  /** Receives how much was copied, from 0 to 1. */
  progress(share: number): void;
  /** Completes the new store; returns what it stopped. */
  complete(restored: RestoredStore): Promise<readonly KeptStopped[]>;
}

/** A new store with all rows of the backup, and what is known of the old one. */
interface RestoredStore {
  store: Store;
  statements: Statements;
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
 * Replaces a store by a verified backup; `state_forbids` while a daemon serves it. What was stopped since stays stopped: that is
 * read once nobody else can change the old store, so that nothing is missed.
 */
export async function restoreFrom(
  file: string,
  target: RestoreTarget,
  { clock, migrationsFolder }: StoreOptions,
  hooks: RestoreHooks,
): Promise<RestoreOutcome> {
  const head = readBackupHead(file, migrationsFolder);
  const check = () =>
    target.withPresent(async (store) => {
      const address = await store.daemon.address();
      if (address !== undefined) throw servedAt(address, target.hintOfServed);
      await hooks.authorize(store);
      return true;
    });
  const isReadable = (await check()) ?? false;
  await hooks.confirm(head, await target.isThere());
  // Who was asked may have lost the right meanwhile.
  if (isReadable) await check();
  const facts = await readBackup(file, migrationsFolder);
  const backup = openBackup(file, migrationsFolder);
  let kept: readonly KeptStopped[] = [];
  try {
    await target.replace({
      ...backup,
      file,
      isReadable,
      progress: (share) => hooks.progress?.(share),
      async complete(restored) {
        kept = await complete(restored, {
          backup: backup.connection,
          isReadable,
          nowMs: clock(),
          hooks,
        });
        return kept;
      },
    });
    return { facts, kept };
  } finally {
    backup.connection.close();
  }
}

/** Stops in a new store whatever was stopped since its backup, and continues the journal. */
async function complete(
  { store, statements, present, journal }: RestoredStore,
  {
    backup,
    isReadable,
    nowMs,
    hooks,
  }: { backup: Connection; isReadable: boolean; nowMs: number; hooks: RestoreHooks },
): Promise<KeptStopped[]> {
  const ofBackup = journalIn(backup) ?? '';
  // On a machine without a journal that of the backup goes on.
  const lines = journal.text === '' ? entriesIn(ofBackup).map((line) => `${line}\n`) : [];
  const text = () => journal.text + lines.join('');
  if (journal.isOfRemovals) lines.push(...missingLines(text(), present.states, nowMs));
  const since = { present, journal: readJournal(text()), nowMs };
  const kept = stopsSince(await readStates(statements), since);
  for (const statement of kept.flatMap(stopStatements)) await statements.query(...statement);
  // In the backup somebody may be a Super user who is none any more.
  if (!isReadable) await hooks.authorize(store);
  await hooks.audit(store, kept, present.trail);
  const states = await readStates(statements);
  lines.push(...missingRemovals(text(), { kept, ofBackup, states }));
  const demoted = kept.filter(({ what }) => what === 'demoted_user').map(({ id }) => id);
  const inJournals = [text(), ofBackup].flatMap((lines) => [...readJournal(lines).roles.keys()]);
  lines.push(...missingLines(text(), states, nowMs, new Set([...demoted, ...inJournals])));
  await journal.add(lines);
  return kept;
}
