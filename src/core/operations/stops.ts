import type { AuditAction } from '../access/roles.ts';
import type { AuditDraft } from '../port/audit.ts';
import type { Stop } from '../port/stops.ts';
import { formatInstantMs } from '../time/instants.ts';

/** The audit action of each kind of stop in the journal, and the name of its time in the event's detail. */
const stopEvents: Readonly<Record<Stop['kind'], readonly [action: AuditAction, instant: string]>> =
  {
    revoked_key: ['key.revoke', 'revoked_at'],
    deactivated_user: ['user.deactivate', 'deactivated_at'],
    demoted_user: ['user.set_role', 'set_at'],
    confined_user: ['user.set_role', 'set_at'],
    deactivated_entity: ['entity.deactivate', 'deactivated_at'],
    removed_entity: ['entity.remove', 'removed_at'],
  };

/**
 * The event of a stop that the journal has made again, in the trail of its own organization;
 * `entities` are the codes that are left to a confined user, or the ids if codes are not known.
 */
export function draftOfStop(
  { kind, name, tenantId, atMs, role, entityIds }: Stop,
  auditContext: Pick<AuditDraft, 'actor' | 'osAccount' | 'atMs'>,
  entityNames = entityIds,
): AuditDraft {
  const [action, instantName] = stopEvents[kind];
  return {
    ...auditContext,
    tenantId,
    action,
    target: name,
    outcome: 'done',
    detail: {
      [instantName]: formatInstantMs(atMs),
      by: 'journal',
      ...(role && { role }),
      ...(entityNames && { entities: entityNames.join(' ') }),
    },
  };
}

const stopNouns: Readonly<Record<Stop['kind'], string>> = {
  revoked_key: 'key',
  deactivated_user: 'user',
  demoted_user: 'role of user',
  confined_user: 'entities of user',
  deactivated_entity: 'entity',
  removed_entity: 'removed entity',
};

/** `key hk_uh4lr`, `role of user ada (operator)`. */
export function stopText({ kind, name, role }: Stop): string {
  const roleNote = role ? ` (${role})` : '';
  return `${stopNouns[kind]} ${name}${roleNote}`;
}
