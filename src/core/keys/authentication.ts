import type { ClientPermission } from '../access/permissions.ts';
import type { Credential } from '../port/keys.ts';
import type { OwnerRefusal, Refusal } from './refusals.ts';

export type Principal = Credential & { entity: NonNullable<Credential['entity']> };

/** Validates a known key: not revoked → not expired → creator active → entity present and active (promise 6.1, 7). */
export function refusalOf(
  credential: RefusalFacts & Pick<Credential, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): Refusal | undefined {
  if (credential.revokedAtMs !== null) return 'key_revoked';
  if (credential.expiresAtMs !== null && credential.expiresAtMs <= nowMs) {
    return 'key_expired';
  }
  return ownerRefusalOf(credential);
}

type RefusalFacts = Pick<Credential, 'creatorStatus' | 'entity'>;

function ownerRefusalOf({ creatorStatus, entity }: RefusalFacts): OwnerRefusal | undefined {
  if (creatorStatus !== 'active') return 'creator_inactive';
  if (entity === null) return 'entity_missing';
  if (entity.status !== 'active') return 'entity_inactive';
  return undefined;
}

/** Why an active key is refused; undefined for a key that works, and for a key that is not active. */
export function activeRefusalOf(
  key: RefusalFacts & Pick<Credential, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): OwnerRefusal | undefined {
  const refusal = refusalOf(key, nowMs);
  return refusal === 'key_revoked' || refusal === 'key_expired' ? undefined : refusal;
}

export function holdsAny(
  granted: readonly ClientPermission[],
  sufficient: readonly ClientPermission[],
): boolean {
  return sufficient.some((permission) => granted.includes(permission));
}
