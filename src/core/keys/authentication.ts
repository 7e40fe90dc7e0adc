import type { ClientPermission } from '../access/permissions.ts';
import type { ErrorCode } from '../errors.ts';
import type { Credential } from '../port/keys.ts';

export type Principal = Credential & { entity: NonNullable<Credential['entity']> };

/** Why a known key is refused, or undefined if it is let in; in the order of promise 6.1. */
export type Refusal = Extract<
  ErrorCode,
  'key_revoked' | 'key_expired' | 'creator_inactive' | 'entity_missing' | 'entity_inactive'
>;

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

/** Why the API refuses a key although it is active, or undefined: its creator or its entity is inactive or gone. */
export type OwnerRefusal = Exclude<Refusal, 'key_revoked' | 'key_expired'>;

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

export const refusalDetails: Record<Refusal, string> = {
  key_revoked: 'This API key was revoked.',
  key_expired: 'This API key has expired.',
  creator_inactive: 'The user profile that created this API key is inactive.',
  entity_missing: 'This API key has no entity any more.',
  entity_inactive: 'The entity of this API key is inactive.',
};

export function holdsAny(
  granted: readonly ClientPermission[],
  sufficient: readonly ClientPermission[],
): boolean {
  return sufficient.some((permission) => granted.includes(permission));
}
