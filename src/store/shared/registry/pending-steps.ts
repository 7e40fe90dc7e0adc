import { and, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm/sql';
import { HkctlError } from '../../../core/errors.ts';
import type { PendingStepStore, StepOfKey } from '../../../core/port/pending-steps.ts';
import {
  type Dialect,
  type Executor,
  placeholders,
  type Runner,
  resultOf,
  type StatementSteps,
  statement,
} from './statements.ts';

export function createPendingStepStore({ query, change, dialect }: Runner): PendingStepStore {
  const statements = createPendingStatements(dialect);

  return {
    list: () => query(statements.list),
    put: (keyIds, step) =>
      change(function* (executor) {
        for (const id of keyIds) yield* putStep(executor, statements, id, step);
      }),
    done: (keyIds, place) =>
      change(function* ({ query }) {
        yield query(statements.done, { ids: JSON.stringify(keyIds), place });
      }),
    lease: (keyIds, holder, nowMs, untilMs) =>
      change(function* ({ query }) {
        const ids = JSON.stringify(keyIds);
        const leases = yield* resultOf(query(statements.leases, { ids }));
        const isTaken = leases.some(
          (lease) => lease.holder !== holder && Number(lease.untilMs) > nowMs,
        );
        if (isTaken) return false;

        for (const keyId of keyIds) {
          yield query(statements.put, { ...noLease, keyId, step: 'lease', holder, untilMs });
        }
        return true;
      }),
    release: (keyIds, holder) =>
      change(function* ({ query }) {
        yield query(statements.release, { ids: JSON.stringify(keyIds), holder });
      }),
  };
}

const noLease = { place: '', command: null, holder: null, untilMs: null };

/** Notes the step of a key, if there is one, in the place of an older one. */
export function* putStep(
  { query }: Executor,
  statements: PendingStatements,
  keyId: string,
  step: StepOfKey | undefined,
): StatementSteps<void> {
  if (step !== undefined) yield query(statements.put, { ...noLease, ...step, keyId });
}

/** Moves the steps that are due after a key on to its successor. */
export function* carrySteps(
  { query }: Executor,
  statements: PendingStatements,
  values: { from: string; to: string },
): StatementSteps<void> {
  yield query(statements.drop, values);
  yield query(statements.carry, values);
}

/** Refuses a change whose holder has not all of its leases any more: `state_forbids`. */
export function* requireLeases(
  { query }: Executor,
  statements: PendingStatements,
  keyIds: readonly string[],
  holder: string,
): StatementSteps<void> {
  const leases = yield* resultOf(query(statements.leases, { ids: JSON.stringify(keyIds) }));
  const held = leases.filter((lease) => lease.holder === holder);
  if (held.length === keyIds.length) return;

  throw new HkctlError(
    'state_forbids',
    'Another command has delivered a secret of the same key meanwhile; nothing was rotated.',
    { hint: 'The secret that was just delivered opens nothing. Run the same command again.' },
  );
}

type PendingStatements = ReturnType<typeof createPendingStatements>;

export function createPendingStatements({ builder, tables, elementsOf }: Dialect) {
  const { pendingSteps } = tables;
  const { keyId, place, step, command } = pendingSteps;
  const given = placeholders('ids', 'place', 'holder', 'from', 'to');
  const isOfKeys = inArray(keyId, elementsOf(given.ids));
  const isLease = eq(step, 'lease');
  const isAtPlace = or(eq(place, given.place), isNull(command));

  return {
    list: statement(() =>
      builder
        .select({ keyId, place, step: sql<'exec' | 'deliver'>`${step}`, command })
        .from(pendingSteps)
        .where(ne(step, 'lease'))
        .orderBy(keyId, place, step),
    ),
    put: statement(() =>
      builder
        .insert(pendingSteps)
        .values(placeholders('keyId', 'place', 'step', 'command', 'holder', 'untilMs'))
        .onConflictDoUpdate({
          target: [keyId, place, step],
          set: {
            command: sql`excluded.command`,
            holder: sql`excluded.holder`,
            untilMs: sql`excluded.until_ms`,
          },
        }),
    ),
    done: statement(() =>
      builder.delete(pendingSteps).where(and(isOfKeys, ne(step, 'lease'), isAtPlace)),
    ),
    drop: statement(() =>
      builder.delete(pendingSteps).where(and(eq(keyId, given.from), eq(step, 'deliver'))),
    ),
    carry: statement(() =>
      builder
        .update(pendingSteps)
        .set({ keyId: sql`${given.to}` })
        .where(and(eq(keyId, given.from), eq(step, 'exec'))),
    ),
    leases: statement(() => builder.select().from(pendingSteps).where(and(isOfKeys, isLease))),
    release: statement(() =>
      builder
        .delete(pendingSteps)
        .where(and(isOfKeys, isLease, eq(pendingSteps.holder, given.holder))),
    ),
  };
}
