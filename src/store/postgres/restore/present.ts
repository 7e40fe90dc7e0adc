import { missingLines } from '../../archive/continued-journal.ts';
import { type PresentStore, statesOf } from '../../archive/present-store.ts';
import { entriesIn } from '../../journal-lines.ts';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';
import { createAuditStore } from '../registry/audit.ts';
import { readJournalText } from '../registry/journal.ts';
import { createRegistry } from '../registry/registry.ts';
import { readStates } from '../registry/states.ts';

/** The store that a restore replaces, and its journal. */
export interface Present {
  store: PresentStore;
  /** Complete: it also says what only the rows of the store say. */
  journal: string;
}

/**
 * Reads the store that a restore replaces, whose tables are locked. `ofBackup` is the journal of the backup, which goes on where
 * the store has none yet.
 */
export async function readPresent(
  session: Session,
  within: Database,
  ofBackup: string | undefined,
  nowMs: number,
): Promise<Present> {
  const states = await readStates(session);
  const own = await readJournalText(session);
  const lines = entriesIn(own === '' ? (ofBackup ?? '') : own).map((line) => `${line}\n`);
  const journal = lines.join('');
  const revoked = states.revoked.map(({ keyId: id, atMs }) => ({ id, atMs }));
  return {
    store: {
      ...statesOf(revoked, states.users, states.entities),
      trail: await createAuditStore(createRegistry(within)).head(),
      // The journal is a table beside the rows, and names what was removed.
      isContinued: false,
      // The marks of a store outlive its restore.
      clock: null,
    },
    journal: journal + missingLines(journal, states, nowMs).join(''),
  };
}
