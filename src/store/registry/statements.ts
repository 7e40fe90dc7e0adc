import type { AuditDraft, AuditRecord } from '../../core/port/audit.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { NewKey } from '../../core/port/keys.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import type { JournalEntry } from '../engine/journal-lines.ts';

/** An operation, written once for both engines: each step is the result of a statement, at once on SQLite, later on PostgreSQL. */
export type Steps<T> = Generator<MaybePromise<unknown>, T, unknown>;

/** Waits for the result of a step that is needed: `const row = yield* resultOf(first(…))`. */
export function* resultOf<T>(step: MaybePromise<T>): Steps<T> {
  return (yield step) as T; // both engines give a step its own result
}

/** Statements in SQL that both engines understand, with their values as `$1`, `$2`. They are prepared at their first use. */
export interface Statements {
  query<Row>(text: string, values?: readonly unknown[]): MaybePromise<Row[]>;
  first<Row>(text: string, values?: readonly unknown[]): MaybePromise<Row | undefined>;
}

export interface Dialect {
  /** The columns that are kept as JSON, such as `audit.detail`. */
  readonly json: ReadonlySet<string>;
  /** The table with the times of last use of keys, and what joins it to `keys`. */
  readonly uses: { name: string; join: string };
  readonly tenantOrder: string;
  /** What keeps the planner from using an index for the column that follows. */
  readonly noIndex: string;
  readonly forUpdate: string;
  /** The highest number of an audit record ever assigned, as `given`. */
  readonly lastSeq: string;
  /** A table with the elements of the JSON array `$1`, each as its `value`. */
  readonly each: string;
  /** Compares with a pattern, without regard to case; a backslash takes the meaning of what follows it. */
  like(column: string, pattern: string): string;
  /** Whether the target of an audit record has a part in small letters; `value` gives it its place in the text. */
  hasTarget(part: string, value: (value: unknown) => string): string;
}

export interface Writing extends Statements {
  readonly dialect: Dialect;
}

export interface Change extends Writing {
  append(audit: AuditDraft): MaybePromise<void>;
  /** Notes in the journal what the change stops, before it changes that. */
  stop(entries: readonly JournalEntry[]): MaybePromise<void>;
  /** Notes what it starts if a query finds a row after the commit, so that it still holds. */
  start(entries: readonly JournalEntry[], ...stillHolds: Parameters<Statements['query']>): void;
}

export type AuditRow = Omit<AuditRecord, 'actor'> & {
  actorId: string | null;
  actorLogin: string | null;
};

export interface Rows {
  tenants: Tenant;
  users: User;
  entities: Entity;
  keys: NewKey;
  audit: AuditRow;
}

/** A `stop` also works on a full disk; a `sample` waits for no other process; daemons need not notice a `merge`. */
export type ChangeKind = 'change' | 'stop' | 'sample' | 'merge';

export interface Runner extends Statements {
  readonly dialect: Dialect;
  run<T>(work: () => Steps<T>): MaybePromise<T>;
  /** Runs steps in one transaction, while no other process changes the registry. */
  change<T>(work: (change: Change) => Steps<T>, kind?: ChangeKind): MaybePromise<T>;
}

export function createValues(): { values: unknown[]; place: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, place: (value) => `$${values.push(value)}` };
}

/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

export const keepMark =
  'insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';
