import { and, asc, desc, eq, gt, gte, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm/sql';
import { chainRecord, fitForTrail, genesisHash } from '../../../core/audit/chain.ts';
import type {
  AuditDraft,
  AuditHead,
  AuditPageRequest,
  AuditRecord,
  AuditStore,
} from '../../../core/port/audit.ts';
import type { MaybePromise } from '../../../core/port/maybe-promise.ts';
import type { RegistryTables } from '../../tables/registry.ts';
import {
  type ChangeKind,
  type Dialect,
  type Executor,
  lastBackupMark,
  placeholders,
  type Runner,
  resultOf,
  type StatementSteps,
  setMark,
  statement,
} from './statements.ts';

type AuditRow = RegistryTables['audit']['$inferSelect'];

/**
 * Creates what appends an event to the chain, inside a transaction: after the highest number ever assigned, so that a cut tail
 * stays a gap; if that was set back, verification reports it.
 */
export function createAppend(dialect: Dialect) {
  const { builder, lockRows, selectLastSeq } = dialect;
  const { audit } = dialect.tables;
  const lastSeqStatement = statement(() => lockRows(selectLastSeq()));
  const headStatement = selectHead(dialect);
  const recordValues = placeholders(...auditFields);
  const insertRecord = statement(() => builder.insert(audit).values(recordValues));
  const keepBackupTime = setMark(dialect);

  return function* ({ query, first }: Executor, draft: AuditDraft): StatementSteps<AuditRow> {
    const assigned = yield* resultOf(first(lastSeqStatement));
    const lastRecord = yield* resultOf(first(headStatement));
    const assignedSeq = assigned?.lastSeq ?? 0;
    const seq = Math.max(assignedSeq, lastRecord?.count ?? 0);
    const previousHash = lastRecord?.hash ?? genesisHash;
    const previous = seq === 0 ? undefined : { seq, hash: previousHash };
    const { actor, ...record } = chainRecord(fitForTrail(draft), previous);
    const newRow = {
      ...record,
      actorId: actor?.id ?? null,
      actorLogin: actor?.login ?? null,
    };

    yield query(insertRecord, newRow);
    if (draft.action === 'store.backup' && draft.outcome === 'done')
      yield query(keepBackupTime, { name: lastBackupMark, value: draft.atMs });
    return newRow;
  };
}

const auditFields = [
  'seq',
  'tenantId',
  'atMs',
  'action',
  'actorId',
  'actorLogin',
  'osAccount',
  'target',
  'outcome',
  'detail',
  'previousHash',
  'hash',
] as const satisfies readonly (keyof AuditRow)[];

/** Records without an actor have no columns of one. */
export function toRecord({ actorId, actorLogin, ...row }: AuditRow): AuditRecord {
  const hasActor = actorId !== null && actorLogin !== null;
  return { ...row, actor: hasActor ? { id: actorId, login: actorLogin } : null };
}

/** The end of the chain; an intact one has no gaps, so that its last number is the count. */
export function selectHead({ builder, tables }: Pick<Dialect, 'builder' | 'tables'>) {
  const { audit } = tables;
  return statement(() =>
    builder
      .select({ count: audit.seq, hash: audit.hash })
      .from(audit)
      .orderBy(desc(audit.seq))
      .limit(1),
  );
}

const walkedAtOnce = 1000;

/** Below every number, so that a record inserted before the first one is found as well. */
const lowestSeq = '-9223372036854775808';

/** The audit trail. `finishEarlier` moves events that wait elsewhere into it. */
export function createAuditStore(
  { query, first, change, dialect }: Runner,
  finishEarlier: () => MaybePromise<void> = () => {},
): AuditStore {
  const { builder } = dialect;
  const { audit } = dialect.tables;
  const statements = createStatements(dialect);

  const appendAs = (kind: ChangeKind, draft: AuditDraft) =>
    change(function* ({ append }) {
      yield append(draft);
    }, kind);

  return {
    append: (draft) => appendAs('change', draft),
    appendRead: (draft) => appendAs('stop', draft),
    async list(tenantId, page) {
      await finishEarlier();
      const pageRows = await query(
        statement(() =>
          builder
            .select()
            .from(audit)
            .where(and(...conditionsOf(dialect, tenantId, page)))
            .orderBy(page.isOldestFirst ? asc(audit.seq) : desc(audit.seq))
            .limit(page.limit),
        ),
      );
      return pageRows.map(toRecord);
    },
    async lastSeq() {
      const assigned = await first(statements.lastSeq);
      return assigned?.lastSeq ?? 0;
    },
    head: async () => (await first(statements.head)) ?? emptyTrail,
    async lastDoneMs(action) {
      const lastDone = await first(statements.lastDone, { action });
      return lastDone?.atMs;
    },
    async *walk() {
      await finishEarlier();
      for (let seq: string | number = lowestSeq; ; ) {
        const walkedRows: AuditRow[] = await query(statements.after, { seq });
        const lastSeq: number | undefined = walkedRows.at(-1)?.seq;
        // Numbers beyond the precision of a double, which only a forger writes, could repeat for ever.
        const isRepeated = typeof seq === 'number' && lastSeq !== undefined && lastSeq <= seq;
        if (lastSeq === undefined || isRepeated) return;
        yield* walkedRows.map(toRecord);
        seq = lastSeq;
      }
    },
  };
}

/** The head of a trail without records. */
export const emptyTrail: AuditHead = { count: 0, hash: genesisHash };

function createStatements(dialect: Dialect) {
  const { builder, selectLastSeq } = dialect;
  const { audit } = dialect.tables;
  const { seq, action } = placeholders('seq', 'action');

  return {
    head: selectHead(dialect),
    lastSeq: statement(selectLastSeq),
    lastDone: statement(() =>
      builder
        .select({ atMs: audit.atMs })
        .from(audit)
        .where(and(eq(audit.action, action), eq(audit.outcome, 'done')))
        .orderBy(desc(audit.seq))
        .limit(1),
    ),
    after: statement(() =>
      builder
        .select()
        .from(audit)
        .where(gt(audit.seq, seq))
        .orderBy(asc(audit.seq))
        .limit(walkedAtOnce),
    ),
  };
}

function conditionsOf(
  { tables: { audit }, withoutIndex, hasTarget }: Dialect,
  tenantId: string,
  page: AuditPageRequest,
): (SQL | undefined)[] {
  const { isOldestFirst = false, after, ofStore = false } = page;
  const { sinceMs, untilMs, actor, action, target, outcome } = page;
  const ofTenant = eq(audit.tenantId, tenantId);
  const isByActor = (name: string) => {
    const isAccount = and(isNull(audit.actorLogin), eq(audit.osAccount, name));
    return or(eq(audit.actorLogin, name), isAccount);
  };

  return [
    isOldestFirst
      ? gt(audit.seq, sql`${after ?? lowestSeq}`)
      : lt(audit.seq, after ?? Number.MAX_SAFE_INTEGER),
    // Two searches of an index would have to be sorted.
    ofStore ? or(withoutIndex(ofTenant), isNull(audit.tenantId)) : ofTenant,
    sinceMs === undefined ? undefined : gte(audit.atMs, sinceMs),
    untilMs === undefined ? undefined : lte(audit.atMs, untilMs),
    actor === undefined ? undefined : isByActor(actor),
    action === undefined ? undefined : eq(audit.action, action),
    outcome === undefined ? undefined : eq(audit.outcome, outcome),
    target === undefined ? undefined : hasTarget(smallLetters(target)),
  ];
}

/** A text with the letters A to Z made small, as both engines do it. */
function smallLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
