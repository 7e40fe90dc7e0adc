import { HkctlError } from '../../../core/errors.ts';
import type { Location } from '../address/location.ts';
import type { Session } from '../connection/session.ts';
import { creatorsSql } from './foreign-objects.ts';

/**
 * Refuses a place (`store_unreadable`) where this log-in may not make the tables of a new store, or where others may make functions
 * beside them; the hint has the SQL that ends either.
 */
export async function requireCreationRights(session: Session, location: Location): Promise<void> {
  await requireOwnRight(session, location);
  await requireOwnCreators(session, location);
}

interface Right {
  isThere: boolean;
  isPermitted: boolean;
  /** The database and this log-in, as SQL writes them. */
  database: string;
  own: string;
}

async function requireOwnRight(session: Session, { shown, schema }: Location): Promise<void> {
  const [right] = await session.query<Right>('schema.right', rightSql, [schema]);
  if (!right || right.isPermitted) return;
  const { isThere, database, own } = right;
  const [place, sql] = isThere
    ? ['the schema', `GRANT CREATE, USAGE ON SCHEMA ${schema} TO ${own}`]
    : ['the database', `GRANT CREATE ON DATABASE ${database} TO ${own}`];
  throw new HkctlError('store_unreadable', `The log-in may not make the tables of the store ${shown}.`, {
    hint: `A superuser or the owner of ${place} permits it with: ${sql}`,
  });
}

/** The tables of a store that is there belong to its owner. */
const rightSql = `select oid is not null as "isThere", quote_ident(current_database()) as database, quote_ident(current_user) as own,
    case when oid is null then has_database_privilege(current_database(), 'CREATE')
      else has_schema_privilege(oid, 'CREATE') and has_schema_privilege(oid, 'USAGE')
        or exists (select from pg_class where relnamespace = oid and relname = 'store_version') end as "isPermitted"
  from (select (select oid from pg_namespace where nspname = $1) as oid) as place`;

interface Creator {
  name: string;
  /** The name as SQL writes it, and that of this log-in. */
  quoted: string;
  own: string;
  /** Whether the schema belongs to it, whatever is revoked. */
  owns: boolean;
}

/** A role that may create functions in the schema could have them run with the rights of this log-in. */
async function requireOwnCreators(session: Session, { shown, schema }: Location): Promise<void> {
  const creators = await session.query<Creator>('schema.creators', creatorsSql);
  if (creators.length === 0) return;
  const named = creators.map(({ name }) => name).join(', ');
  throw new HkctlError(
    'store_unreadable',
    `Others may create functions in the schema of ${shown}, which would run with the rights of this log-in: ${named}.`,
    { hint: `A superuser or the owner of the schema ends that with: ${endingOf(creators, schema).join('; ')}` },
  );
}

/** The SQL after which nobody else may create functions in a schema. */
function endingOf(creators: readonly Creator[], schema: string): string[] {
  const owner = creators.find(({ owns }) => owns);
  const granted = creators.filter(({ owns }) => !owns).map(({ quoted }) => quoted);
  return [
    ...(owner ? [`ALTER SCHEMA ${schema} OWNER TO ${owner.own}`] : []),
    ...(granted.length > 0 ? [`REVOKE CREATE ON SCHEMA ${schema} FROM ${granted.join(', ')}`] : []),
  ];
}
