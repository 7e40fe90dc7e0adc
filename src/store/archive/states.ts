import type { Role } from '../../core/access/roles.ts';
import { genesisHash } from '../../core/audit/chain.ts';
import type { AuditHead } from '../../core/port/audit.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import type { Statements } from '../registry/statements.ts';
import type { Connection } from '../sqlite-database/driver.ts';

/** What the rows of a store say of all that can be stopped. */
export interface RegistryStates {
  tenants: readonly Pick<Tenant, 'id' | 'name'>[];
  users: readonly (Pick<User, 'id' | 'tenantId' | 'login' | 'status'> & { role: Role })[];
  entities: readonly Pick<Entity, 'id' | 'tenantId' | 'code' | 'status'>[];
  keys: readonly { id: string; tenantId: string; prefix: string; secretHash: string; revokedAtMs: number | null }[];
}

/** Reads them, inside a transaction of the caller. */
export async function readStates({ query }: Statements): Promise<RegistryStates> {
  const tenant = 'tenant_id as "tenantId"';
  return {
    tenants: await query('states.tenants', 'select id, name from tenants'),
    users: await query('states.users', `select id, ${tenant}, login, status, role from users`),
    entities: await query('states.entities', `select id, ${tenant}, code, status from entities`),
    keys: await query(
      'states.keys',
      `select id, ${tenant}, prefix, secret_hash as "secretHash", revoked_at_ms as "revokedAtMs" from keys
        order by revoked_at_ms, id`,
    ),
  };
}

/** What a restore must know of the store that it replaces, read while no other process can change it. */
export interface PresentStore {
  states: RegistryStates;
  /** The head of its trail; null if it cannot be read. */
  trail: AuditHead | null;
  /** Whether its trail continues that of the backup: then an entity of the backup that it does not have was removed since. */
  isContinued: boolean;
}

/** Of a store that is absent or cannot be read: only the journal is known. */
export const unknownPresent: PresentStore = {
  states: { tenants: [], users: [], entities: [], keys: [] },
  trail: null,
  isContinued: false,
};

/** Reads the store that a restore replaces by a backup. */
export async function readPresent(statements: Statements, backup: Connection): Promise<PresentStore> {
  const end = backup.prepare<[], AuditHead>(headSql).get();
  const has = 'select 1 as found from audit where seq = $1 and hash = $2';
  return {
    states: await readStates(statements),
    trail: (await statements.first<AuditHead>('present.head', headSql)) ?? { count: 0, hash: genesisHash },
    isContinued: end !== undefined && (await statements.first('present.end', has, [end.count, end.hash])) !== undefined,
  };
}

/** An intact chain has no gaps, so that the last number is the count. */
const headSql = 'select seq as count, hash from audit order by seq desc limit 1';
