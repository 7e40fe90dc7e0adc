import { eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import { entities, keys, keyUses, tenants, users } from './tables.ts';

/** Selects keys with what is shown beside them. */
export function selectKeys(db: NodePgDatabase) {
  const revokers = alias(users, 'revokers');
  return db
    .select({
      id: keys.id,
      tenantId: keys.tenantId,
      prefix: keys.prefix,
      name: keys.name,
      permissions: keys.permissions,
      entity: entityColumns,
      createdBy: { id: users.id, login: users.login, name: users.name },
      createdAtMs: keys.createdAtMs,
      expiresAtMs: keys.expiresAtMs,
      lastUsedAtMs: keyUses.lastUsedAtMs,
      revokedAtMs: keys.revokedAtMs,
      revokedBy: { login: revokers.login, name: revokers.name },
      rotatedFrom: keys.rotatedFrom,
      rotatedTo: keys.rotatedTo,
      allowedIps: keys.allowedIps,
      note: keys.note,
      lastUsedIp: keyUses.lastUsedIp,
    })
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .leftJoin(entities, eq(keys.entityId, entities.id))
    .leftJoin(revokers, eq(keys.revokedBy, revokers.id))
    .leftJoin(keyUses, eq(keyUses.keyId, keys.id));
}

/** Selects what the check of an API call needs. */
export function selectCredentials(db: NodePgDatabase) {
  return db
    .select({
      keyId: keys.id,
      prefix: keys.prefix,
      name: keys.name,
      permissions: keys.permissions,
      expiresAtMs: keys.expiresAtMs,
      revokedAtMs: keys.revokedAtMs,
      allowedIps: keys.allowedIps,
      creatorStatus: users.status,
      entity: entityColumns,
      tenant: { id: tenants.id, name: tenants.name, weekStart: tenants.weekStart },
    })
    .from(keys)
    .innerJoin(users, eq(keys.createdBy, users.id))
    .innerJoin(tenants, eq(keys.tenantId, tenants.id))
    .leftJoin(entities, eq(keys.entityId, entities.id));
}

const entityColumns = {
  id: entities.id,
  code: entities.code,
  name: entities.name,
  timezone: entities.timezone,
  status: entities.status,
};
