import { isHkctlError } from '../../../core/errors.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { User } from '../../../core/port/users.ts';
import { type PresentStore, statesOf, unknownPresent } from '../../backup-file/present-store.ts';
import type { Connection } from '../connection/driver.ts';
import { createAppendAudit, createAuditStore } from '../registry/audit.ts';
import { createClockStore } from '../registry/clock.ts';
import { createRegistry } from '../registry/registry.ts';

/** Reads what a restore must know from the registry of a store of this version; returns `unknownPresent` for a damaged one. */
export async function readPresent(connection: Connection, path: string): Promise<PresentStore> {
  const registry = createRegistry(connection, path);
  const append = createAppendAudit(registry);
  const rows = <Row>(sql: string) => registry.read(() => connection.prepare<[], Row>(sql).all());
  try {
    const keys = rows<{ id: string; atMs: number }>(
      'select id, revoked_at_ms as atMs from keys where revoked_at_ms is not null',
    );
    const users = rows<Pick<User, 'id' | 'status' | 'role'>>('select id, status, role from users');
    const entities = rows<Pick<Entity, 'id' | 'status'>>('select id, status from entities');
    return {
      ...statesOf(keys, users, entities),
      trail: await createAuditStore(registry, append, () => {}).head(),
      clock: await createClockStore(registry, append).read(),
    };
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'store_corrupt') return unknownPresent;
    throw thrown;
  }
}
