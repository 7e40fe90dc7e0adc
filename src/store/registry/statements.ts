import type { AuditDraft } from '../../core/port/audit.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { NewKey } from '../../core/port/keys.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import type { Revocation, StateEntry } from '../engine/journal-lines.ts';

/** An operation, written once for both engines: each step is the result of a statement, at once on SQLite, later on PostgreSQL. */
export type Steps<T> = Generator<MaybePromise<unknown>, T, unknown>;

/** Waits for the result of a step that is needed: `const row = yield* resultOf(first(…))`. */
export function* resultOf<T>(step: MaybePromise<T>): Steps<T> {
  return (yield step) as T; // both engines give a step its own result
}

/** Statements in SQL that both engines understand, with their values as `$1`, `$2`; the name identifies the text. */
export interface Statements {
  query<Row>(name: string, text: string, values?: readonly unknown[]): MaybePromise<Row[]>;
  first<Row>(name: string, text: string, values?: readonly unknown[]): MaybePromise<Row | undefined>;
}

export interface Change extends Statements {
  insert<Table extends keyof Rows>(table: Table, row: Rows[Table]): MaybePromise<unknown>;
  append(audit: AuditDraft): MaybePromise<void>;
  /** Notes in the journal what the change stops, before it changes that. */
  stop(entries: readonly StateEntry[]): MaybePromise<void>;
  revoke(keys: readonly Revocation[]): MaybePromise<void>;
  /** Notes what it starts; `stillHold` is asked after the commit. */
  start(entries: readonly StateEntry[], stillHold: () => Steps<boolean>): void;
}

export interface Rows {
  tenants: Tenant;
  users: User;
  entities: Entity;
  keys: NewKey;
}

export interface Runner extends Statements {
  /** SQL of a table with the elements of the JSON array `$1`, each as its `value`. */
  readonly each: string;
  run<T>(work: () => Steps<T>): MaybePromise<T>;
  /** Runs steps in one transaction, while no other process changes the registry; a `stop` must work on a full disk, too. */
  change<T>(work: (change: Change) => Steps<T>, kind?: 'change' | 'stop'): MaybePromise<T>;
}
