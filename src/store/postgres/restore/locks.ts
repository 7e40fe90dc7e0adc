import { servedAt } from '../../engine/refusals.ts';
import type { Session } from '../connection/session.ts';
import { isAlive } from '../daemons/daemons.ts';
import type { ColumnTypes } from '../schema/column-types.ts';

/**
 * Tables whose rows outlive a restore: its own version, the generations by which others notice it, and what each machine has
 * seen of its clock.
 */
const kept: ReadonlySet<string> = new Set(['store_version', 'generations', 'marks', 'audit_head', 'daemons']);

/** Tables that changes lock last, in their order: a restore that takes them in the same one waits instead of deadlocking. */
const lockedLast = [
  ...['purges', 'tenants', 'users', 'entities', 'keys', 'key_uses', 'key_usage'],
  ...['journal', 'audit_head', 'audit'],
];

/**
 * Locks the tables of a store for the rest of the transaction, so that nobody reads or changes them, and no daemon begins. Throws
 * `state_forbids` while a daemon serves, `store_locked` if another change or backup takes too long.
 */
export async function lockStore(session: Session, types: ColumnTypes): Promise<void> {
  await session.run("set local lock_timeout = '5s'; lock table daemons in access exclusive mode");
  const serving = await session.query<{ address: string | null }>(
    'restore.daemons',
    `select base_url as address from daemons where ${isAlive} order by base_url nulls last`,
  );
  const address = serving.map(({ address }) => address).find((address) => address !== null);
  if (serving.length > 0) throw servedAt(address, hintOfServed);
  await session.run("delete from daemons; update generations set value = value + 1 where name = 'keys'");
  const tables = [...types.keys()].filter((table) => !lockedLast.includes(table) && !kept.has(table));
  // Readings and imports lock the row of an entity before they write its tables.
  const first = tables.filter((table) => table === 'record_entities');
  const others = tables.filter((table) => table !== 'record_entities');
  for (const table of [...first, ...others, ...lockedLast]) {
    await session.run(`lock table "${table}" in access exclusive mode`);
  }
  await session.run("update generations set value = value + 1 where name = 'records'");
}

/** Empties the tables of a locked store. Until the commit their files stay, so that a failed restore leaves the old store. */
export async function emptyStore(session: Session, types: ColumnTypes): Promise<void> {
  const tables = [...types.keys()].filter((table) => !kept.has(table));
  await session.run(`truncate ${tables.map((table) => `"${table}"`).join(', ')} restart identity`);
}

/** What to do while a daemon serves the store. */
export const hintOfServed =
  'Stop every daemon on any machine, restore, and start them again. One that was killed counts as serving for 10 s.';
