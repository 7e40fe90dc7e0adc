import type { ClientPermission } from '../access/permissions.ts';
import type { ErrorCode } from '../errors.ts';
import type { Credential } from '../port/keys.ts';

export type Principal = Credential & { entity: NonNullable<Credential['entity']> };

/** Why a known key is refused, or undefined if it is let in; in the order of the contract, section 6. */
export type Refusal = Extract<
  ErrorCode,
  'key_revoked' | 'key_expired' | 'creator_inactive' | 'entity_missing' | 'entity_inactive'
>;

/** Validates a known key: not revoked → not expired → creator active → entity present and active (specification 5.1, 7). */
export function refusalOf(credential: Credential, nowMs: number): Refusal | undefined {
  if (credential.revokedAtMs !== null) return 'key_revoked';
  if (credential.expiresAtMs !== null && credential.expiresAtMs <= nowMs) return 'key_expired';
  if (credential.creatorStatus !== 'active') return 'creator_inactive';
  if (credential.entity === null) return 'entity_missing';
  if (credential.entity.status !== 'active') return 'entity_inactive';
  return undefined;
}

export const refusalDetails: Record<Refusal, string> = {
  key_revoked: 'This API key was revoked.',
  key_expired: 'This API key has expired.',
  creator_inactive: 'The user profile that created this API key is inactive.',
  entity_missing: 'This API key has no entity any more.',
  entity_inactive: 'The entity of this API key is inactive.',
};

export function holdsAny(
  held: readonly ClientPermission[],
  wanted: readonly ClientPermission[],
): boolean {
  return wanted.some((permission) => held.includes(permission));
}
