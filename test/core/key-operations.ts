import { type Actor, requirePermissions } from '../../src/core/domain/actors.ts';
import type { Domain } from '../../src/core/domain/domain.ts';
import * as issuance from '../../src/core/keys/issuance.ts';
import * as keys from '../../src/core/keys/keys.ts';
import { findKeys } from '../../src/core/keys/references.ts';
import type { Key } from '../../src/core/port/keys.ts';

/** Creates a key as a command does: the permission first. */
export async function createKey(
  domain: Domain,
  actor: Actor,
  input: issuance.CreateKeyInput,
  delivery: issuance.SecretDelivery,
): Promise<Key> {
  return issuance.createKey(
    domain,
    await requirePermissions(domain, actor, 'key.create', input.name),
    input,
    delivery,
  );
}

/** Rotates keys as a command does: the permission first, then the keys of the REFs. */
export async function rotateKeys(
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
  delivery: issuance.SecretDelivery,
): Promise<issuance.RotatedKey[]> {
  const rotator = await requirePermissions(domain, actor, 'key.rotate', refs.join(' '));
  return issuance.rotateKeys(domain, rotator, await findKeys(domain, actor, refs), delivery);
}

/** Revokes keys in the same way. */
export async function revokeKeys(
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
): Promise<Key[]> {
  const revoker = await requirePermissions(domain, actor, 'key.revoke', refs.join(' '));
  return keys.revokeKeys(domain, revoker, await findKeys(domain, actor, refs));
}
