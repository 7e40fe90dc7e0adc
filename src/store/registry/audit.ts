import { chainRecord, fitForTrail, genesisHash } from '../../core/audit/chain.ts';
import type { AuditDraft, AuditHead, AuditRecord, AuditStore } from '../../core/port/audit.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { columnOf, columnsOf, createSelection, fieldsOf, insertRow } from './rows.ts';
import {
  type AuditRow,
  createValues,
  type Dialect,
  keepMark,
  lastBackupMark,
  type Runner,
  resultOf,
  type Statements,
  type Steps,
  type Writing,
} from './statements.ts';

/**
 * Appends an event to the chain, inside a transaction: after the highest number ever assigned, so that a cut tail stays a gap;
 * if that was set back, verification reports it.
 */
export function* append(writing: Writing, draft: AuditDraft): Steps<AuditRow> {
  const { dialect, query, first } = writing;
  const given = yield* resultOf(first<{ given: number }>(dialect.lastSeq + dialect.forUpdate));
  const last = yield* resultOf(first<AuditHead>(headSql));
  const seq = Math.max(given?.given ?? 0, last?.count ?? 0);
  const before = seq === 0 ? undefined : { seq, hash: last?.hash ?? genesisHash };
  const { actor, ...record } = chainRecord(fitForTrail(draft), before);
  const row = { ...record, actorId: actor?.id ?? null, actorLogin: actor?.login ?? null };
  yield insertRow(writing, 'audit', row);
  if (draft.action === 'store.backup' && draft.outcome === 'done')
    yield query(keepMark, [lastBackupMark, draft.atMs]);
  return row;
}

/** How records are read: their columns, of which `json` are kept as JSON, and the record of a row. */
export function selectRecords(json: ReadonlySet<string>) {
  const { text, read } = createSelection<AuditRow>(columnsOf('audit', fieldsOf.audit), json);
  return { text, read: (row: Record<string, unknown>) => toRecord(read(row)) };
}

function toRecord({ actorId, actorLogin, ...row }: AuditRow): AuditRecord {
  return {
    ...row,
    actor: actorId === null || actorLogin === null ? null : { id: actorId, login: actorLogin },
  };
}

/** An intact chain has no gaps, so that the last number is the count. */
export const headSql = 'select seq as count, hash from audit order by seq desc limit 1';

export async function readHead({ first }: Statements): Promise<AuditHead> {
  return (await first<AuditHead>(headSql)) ?? { count: 0, hash: genesisHash };
}

const lastDoneSql = `select at_ms as ms from audit where action = $1 and outcome = 'done' order by seq desc limit 1`;

const walkedAtOnce = 1000;

/** Below every number, so that a record inserted before the first one is found as well. */
const lowestSeq = '-9223372036854775808';

/** The audit trail. `settle` moves events that wait elsewhere into it. */
export function createAuditStore(
  { dialect, query, first, change }: Runner,
  settle: () => MaybePromise<void> = () => {},
): AuditStore {
  const record = selectRecords(dialect.json);
  const afterSql = `select ${record.text} from audit where seq > $1 order by seq limit ${walkedAtOnce}`;
  const read = async (text: string, values: readonly unknown[]) =>
    (await query<Record<string, unknown>>(text, values)).map(record.read);
  return {
    append: (draft) =>
      change(function* ({ append }) {
        yield append(draft);
      }),
    async list(tenantId, page) {
      await settle();
      const { limit, isOldestFirst = false, after } = page;
      const [beyond, order, begin] = isOldestFirst
        ? ['>', 'asc', lowestSeq]
        : ['<', 'desc', Number.MAX_SAFE_INTEGER];
      const { values, place } = createValues();
      const conditions = [
        `seq ${beyond} ${place(after ?? begin)}`,
        ...conditionsOf(dialect, tenantId, page, place),
      ];
      const where = conditions.filter((condition) => condition !== undefined).join(' and ');
      return read(
        `select ${record.text} from audit where ${where} order by seq ${order} limit ${place(limit)}`,
        values,
      );
    },
    lastSeq: async () => (await first<{ given: number }>(dialect.lastSeq))?.given ?? 0,
    head: () => readHead({ query, first }),
    lastDoneMs: async (action) => (await first<{ ms: number }>(lastDoneSql, [action]))?.ms,
    async *walk() {
      await settle();
      for (let seq: string | number = lowestSeq; ; ) {
        const records: AuditRecord[] = await read(afterSql, [seq]);
        const last: number | undefined = records.at(-1)?.seq;
        // Numbers beyond the precision of a double, which only a forger writes, could repeat for ever.
        if (last === undefined || (typeof seq === 'number' && last <= seq)) return;
        yield* records;
        seq = last;
      }
    },
  };
}

function conditionsOf(
  { json, noIndex, hasTarget }: Dialect,
  tenantId: string,
  {
    sinceMs,
    untilMs,
    actor,
    action,
    target,
    outcome,
    ofStore = false,
  }: Parameters<AuditStore['list']>[1],
  place: (value: unknown) => string,
): (string | undefined)[] {
  const is = (field: string, value: string) =>
    `${columnOf(field)} = ${place(json.has(`audit.${columnOf(field)}`) ? JSON.stringify(value) : value)}`;
  return [
    // Two searches of an index would have to be sorted.
    ofStore
      ? `(${noIndex}${is('tenantId', tenantId)} or tenant_id is null)`
      : is('tenantId', tenantId),
    sinceMs === undefined ? undefined : `at_ms >= ${place(sinceMs)}`,
    untilMs === undefined ? undefined : `at_ms <= ${place(untilMs)}`,
    actor === undefined
      ? undefined
      : `(${is('actorLogin', actor)} or actor_login is null and ${is('osAccount', actor)})`,
    action === undefined ? undefined : is('action', action),
    outcome === undefined ? undefined : is('outcome', outcome),
    target === undefined ? undefined : hasTarget(smallLetters(target), place),
  ];
}

/** A text with the letters A to Z made small, as both engines do it. */
function smallLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
