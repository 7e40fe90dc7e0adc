import type { AuditAction } from '../access/roles.ts';
import type { AuditDraft } from '../port/audit.ts';
import type { KeptStopped } from '../port/stops.ts';
import { formatInstantMs } from '../time/instants.ts';

/** How the audit trail names what the journal of stops has stopped, and the time of it in the event's detail. */
const eventsOfStops: Readonly<
  Record<KeptStopped['kind'], readonly [action: AuditAction, instant: string]>
> = {
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
  { kind, name, tenantId, atMs, role, entityIds }: KeptStopped,
  by: Pick<AuditDraft, 'actor' | 'osAccount' | 'atMs'>,
  entities = entityIds,
): AuditDraft {
  const [action, instant] = eventsOfStops[kind];
  return {
    ...by,
    tenantId,
    action,
    target: name,
    outcome: 'done',
    detail: {
      [instant]: formatInstantMs(atMs),
      by: 'journal',
      ...(role && { role }),
      ...(entities && { entities: entities.join(' ') }),
    },
  };
}

const nouns: Readonly<Record<KeptStopped['kind'], string>> = {
  revoked_key: 'key',
  deactivated_user: 'user',
  demoted_user: 'role of user',
  confined_user: 'entities of user',
  deactivated_entity: 'entity',
  removed_entity: 'removed entity',
};

/** `key hk_uh4lr`, `role of user ada (operator)`. */
export function stopText({ kind, name, role }: KeptStopped): string {
  return `${nouns[kind]} ${name}${role ? ` (${role})` : ''}`;
}
