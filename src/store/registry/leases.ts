import { HkctlError } from '../../core/errors.ts';
import type { LeaseStore } from '../../core/port/keys.ts';
import { type Runner, resultOf, type Statements, type Steps } from './statements.ts';

interface Lease {
  name: string;
  value: number;
}

export function createLeaseStore({ change, dialect }: Runner): LeaseStore {
  return {
    take: (keyIds, holder, nowMs, untilMs) =>
      change(function* ({ query }) {
        for (const id of keyIds) {
          const prefix = leasePrefix(id);
          const leases = yield* resultOf(query<Lease>(leasesOf, [prefix.length, prefix]));
          const isTaken = leases.some(
            ({ name, value }) => name !== prefix + holder && Number(value) > nowMs,
          );
          if (isTaken) return false;
        }
        for (const id of keyIds) {
          const prefix = leasePrefix(id);
          yield query(removeLeases, [prefix.length, prefix]);
          yield query(insertLease, [prefix + holder, untilMs]);
        }
        return true;
      }),
    release: (keyIds, holder) =>
      change(function* ({ query }) {
        yield query(`delete from marks where ${namedIn(dialect.each)}`, [namesOf(keyIds, holder)]);
      }),
  };
}

/** Refuses a change whose holder has not all of its leases any more: `state_forbids`. */
export function* requireLeases(
  { query }: Statements,
  each: string,
  keyIds: readonly string[],
  holder: string,
): Steps<void> {
  const names = namesOf(keyIds, holder);
  const held = yield* resultOf(
    query<Lease>(`select name, value from marks where ${namedIn(each)}`, [names]),
  );
  if (held.length === keyIds.length) return;
  throw new HkctlError(
    'state_forbids',
    'Another command has delivered a secret of the same key meanwhile; nothing was rotated.',
    { hint: 'The secret that was just delivered opens nothing. Run the same command again.' },
  );
}

const leasesOf = 'select name, value from marks where substr(name, 1, $1) = $2';
const removeLeases = 'delete from marks where substr(name, 1, $1) = $2';
const insertLease = 'insert into marks (name, value) values ($1, $2)';

function namedIn(each: string): string {
  return `name in (select value from ${each})`;
}

function namesOf(keyIds: readonly string[], holder: string): string {
  return JSON.stringify(keyIds.map((id) => leasePrefix(id) + holder));
}

function leasePrefix(keyId: string): string {
  return `delivery_lease:${keyId}:`;
}
