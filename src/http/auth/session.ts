import type { Principal } from '../../core/keys/authentication.ts';
import { createAddressFilter } from '../../core/keys/networks.ts';
import type { Credential } from '../../core/port/keys.ts';
import type { PageScope } from '../../core/records/queries.ts';

/** An admitted key with what its answers need again and again; the same object for as long as the key does not change. */
export interface Session {
  principal: Principal;
  scope: PageScope;
  /** Names entity, zone and week start, on which the content of a page depends. */
  scopeKey: string;
  /** Whether the key may be used from a client address; undefined if it may be used from anywhere. */
  allows: ((address: string) => boolean) | undefined;
}

/** Builds the session of a credential; undefined if it has no entity. */
export function toSession(credential: Credential): Session | undefined {
  const { entity, tenant, allowedIps } = credential;
  if (entity === null) return undefined;
  const { weekStart } = tenant;
  return {
    principal: { ...credential, entity },
    scope: { entityId: entity.id, timezone: entity.timezone, weekStart },
    scopeKey: `${entity.id} ${entity.timezone} ${weekStart}`,
    allows: allowedIps.length === 0 ? undefined : createAddressFilter(allowedIps),
  };
}
