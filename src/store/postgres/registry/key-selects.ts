import { eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import { credentialColumns, keyColumns } from '../../registry/keys.ts';
import { entities, keys, keyUses, tenants, users } from './tables.ts';

export function selectKeys(db: NodePgDatabase) {
  const revokers = alias(users, 'revokers');
  return db
    .select(keyColumns({ keys, entities, users, revokers, uses: keyUses }))
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .leftJoin(entities, eq(keys.entityId, entities.id))
    .leftJoin(revokers, eq(keys.revokedBy, revokers.id))
    .leftJoin(keyUses, eq(keyUses.keyId, keys.id));
}

/** Selects what the check of an API call needs. */
export function selectCredentials(db: NodePgDatabase) {
  return db
    .select(credentialColumns({ keys, entities, users, tenants }))
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .innerJoin(tenants, eq(keys.tenantId, tenants.id))
    .leftJoin(entities, eq(keys.entityId, entities.id));
}
