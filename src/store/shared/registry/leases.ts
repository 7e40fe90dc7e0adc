import { eq, inArray, sql } from 'drizzle-orm/sql';
import { HkctlError } from '../../../core/errors.ts';
import type { LeaseStore } from '../../../core/port/keys.ts';
import { placeholders, statement } from './compiled-statements.ts';
import {
  type Dialect,
  type Executor,
  type Runner,
  resultOf,
  type StatementSteps,
} from './statements.ts';

export function createLeaseStore({ change, dialect }: Runner): LeaseStore {
  const statements = createLeaseStatements(dialect);

  return {
    take: (keyIds, holder, nowMs, untilMs) =>
      change(function* ({ query }) {
        for (const id of keyIds) {
          const prefix = leasePrefix(id);
          const leases = yield* resultOf(query(statements.ofKey, prefixValues(prefix)));
          const others = leases.filter(({ name }) => name !== prefix + holder);
          const isTaken = others.some(({ value }) => Number(value) > nowMs);
          if (isTaken) return false;
        }

        for (const id of keyIds) {
          const prefix = leasePrefix(id);
          yield query(statements.removeOfKey, prefixValues(prefix));
          yield query(statements.insert, { name: prefix + holder, value: untilMs });
        }
        return true;
      }),
    release: (keyIds, holder) =>
      change(function* ({ query }) {
        yield query(statements.remove, { names: leaseNamesOf(keyIds, holder) });
      }),
  };
}

/** Refuses a change whose holder has not all of its leases any more: `state_forbids`. */
export function* requireLeases(
  { query }: Executor,
  statements: LeaseStatements,
  keyIds: readonly string[],
  holder: string,
): StatementSteps<void> {
  const leaseNames = leaseNamesOf(keyIds, holder);
  const leases = yield* resultOf(query(statements.named, { names: leaseNames }));
  if (leases.length === keyIds.length) return;

  throw new HkctlError(
    'state_forbids',
    'Another command has delivered a secret of the same key meanwhile; nothing was rotated.',
    { hint: 'The secret that was just delivered opens nothing. Run the same command again.' },
  );
}

type LeaseStatements = ReturnType<typeof createLeaseStatements>;

export function createLeaseStatements({ builder, tables, elementsOf }: Dialect) {
  const { marks } = tables;
  const { prefix, prefixLength, names } = placeholders('prefix', 'prefixLength', 'names');
  const isOfKey = eq(sql`substr(${marks.name}, 1, ${prefixLength})`, prefix);
  const isNamed = inArray(marks.name, elementsOf(names));
  const newMark = placeholders('name', 'value');
  const selectMarks = () => builder.select().from(marks);
  const deleteMarks = () => builder.delete(marks);

  return {
    ofKey: statement(() => selectMarks().where(isOfKey)),
    removeOfKey: statement(() => deleteMarks().where(isOfKey)),
    insert: statement(() => builder.insert(marks).values(newMark)),
    named: statement(() => selectMarks().where(isNamed)),
    remove: statement(() => deleteMarks().where(isNamed)),
  };
}

function prefixValues(prefix: string) {
  return { prefix, prefixLength: prefix.length };
}

function leaseNamesOf(keyIds: readonly string[], holder: string): string {
  const leaseNames = keyIds.map((id) => leasePrefix(id) + holder);
  return JSON.stringify(leaseNames);
}

function leasePrefix(keyId: string): string {
  return `delivery_lease:${keyId}:`;
}
