import type { UserPermission } from '../access/roles.ts';
import { type Actor, type Permitted, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { AuditAction } from '../port/audit.ts';

/** The permissions that each operation on keys needs, and the action that the audit trail names. */
const operations = {
  list: { action: 'key.list', permissions: ['api_keys.view'] },
  verify: { action: 'key.verify', permissions: ['api_keys.view'] },
  create: { action: 'key.create', permissions: ['api_keys.create'] },
  note: { action: 'key.note', permissions: ['api_keys.create'] },
  rotate: { action: 'key.rotate', permissions: ['api_keys.create', 'api_keys.delete'] },
  revoke: { action: 'key.revoke', permissions: ['api_keys.delete'] },
} as const satisfies Record<string, { action: AuditAction; permissions: readonly UserPermission[] }>;

type Operations = typeof operations;

/** An actor who may do an operation on keys, as the permission check found. */
export type KeyActor<O extends keyof Operations> = Permitted<Operations[O]['permissions'][number]>;

/** What an operation on keys needs; a refusal is audited with the target. */
export function keyNeeds<O extends keyof Operations>(
  operation: O,
  target: string,
): { permissions: Operations[O]['permissions']; action: AuditAction; target: string } {
  return { ...operations[operation], target };
}

/** Asks for the permission to do an operation on keys; throws `not_permitted` (exit 4) and audits a refusal. */
export async function requireKeyActor<O extends keyof Operations>(
  domain: Domain,
  actor: Actor,
  operation: O,
  target: string,
): Promise<KeyActor<O>> {
  const { permissions, action } = operations[operation];
  return requirePermissions<Operations[O]['permissions'][number]>(domain, actor, permissions, { action, target });
}
