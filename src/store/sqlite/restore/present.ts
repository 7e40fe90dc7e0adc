import { isHkctlError } from '../../../core/errors.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { User } from '../../../core/port/users.ts';
import { type PresentStore, statesOf, unknownPresent } from '../../archive/present-store.ts';
import type { Connection } from '../connection/driver.ts';
import { createAppendAudit, createAuditStore } from '../registry/audit.ts';
import { createClockStore } from '../registry/clock.ts';
import { createRegistry } from '../registry/registry.ts';

/**
 * Reads what a restore must know from the registry of a store of this version; returns `unknownPresent` for a damaged one.
 * `ofBackup` is the registry of the backup.
 */
export async function readPresent(connection: Connection, path: string, ofBackup: Connection): Promise<PresentStore> {
  const registry = createRegistry(connection, path);
  const append = createAppendAudit(registry);
  const rows = <Row>(sql: string) => registry.read(() => connection.prepare<[], Row>(sql).all());
  try {
    const keys = rows<{ id: string; atMs: number }>(
      'select id, revoked_at_ms as atMs from keys where revoked_at_ms is not null',
    );
    const users = rows<Pick<User, 'id' | 'status' | 'role'>>('select id, status, role from users');
    const entities = rows<Pick<Entity, 'id' | 'status'>>('select id, status from entities');
    const has = connection.prepare<[number, string]>('select 1 from audit where seq = ? and hash = ?').pluck();
    const end = headOf(ofBackup);
    return {
      ...statesOf(keys, users, entities),
      trail: await createAuditStore(registry, append, () => {}).head(),
      isContinued: end !== undefined && registry.read(() => has.get(end.seq, end.hash)) !== undefined,
      clock: await createClockStore(registry, append).read(),
    };
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return unknownPresent;
    throw thrown;
  }
}

function headOf(registry: Connection): { seq: number; hash: string } | undefined {
  return registry
    .prepare<[], { seq: number; hash: string }>('select seq, hash from audit order by seq desc limit 1')
    .get();
}
