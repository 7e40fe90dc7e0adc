import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { requireKeyActor } from '../../../core/keys/key-permissions.ts';
import { requireActive, revokeKeys } from '../../../core/keys/keys.ts';
import { findKeys } from '../../../core/keys/references.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import { completeInput, createAndDeliver } from '../keys/create.ts';
import { confirmRevocation } from '../keys/revoke.ts';
import { rotateAndDeliver } from '../keys/rotate/rotate.ts';

/** Opens the documents in a browser; returns a message, which shows the address if there is no browser. */
export async function openDocumentation(context: Context, url: string): Promise<string> {
  return context.io.open(url).then(
    () => `Opened ${url}`,
    // No browser, as over SSH: show the address instead.
    () => `Documentation: ${url}`,
  );
}

/** Create key: asks for everything, shows the panel, returns the toast. */
export async function createHere(
  context: Context,
  domain: Domain,
  actor: Actor,
  baseUrl: string | undefined,
): Promise<string> {
  const creator = await requireKeyActor(domain, actor, 'create', '');
  const input = await completeInput(context, domain, actor, { permission: [], yes: false });
  await createAndDeliver(context, domain, creator, input, { copy: false, baseUrl });
  return 'API key created';
}

/** Rotate key: asks, shows the panel, returns the toast. */
export async function rotateHere(
  context: Context,
  domain: Domain,
  actor: Actor,
  key: Key,
  baseUrl: string | undefined,
): Promise<string> {
  const rotator = await requireKeyActor(domain, actor, 'rotate', key.prefix);
  const keys = await findActive(domain, actor, key, 'rotated');
  await rotateAndDeliver(context, domain, rotator, keys, { yes: false, copy: false, several: false, baseUrl });
  return 'API key rotated';
}

/** Revoke key: asks, returns the toast. */
export async function revokeHere(context: Context, domain: Domain, actor: Actor, key: Key): Promise<string> {
  const revoker = await requireKeyActor(domain, actor, 'revoke', key.prefix);
  await confirmRevocation(context, false, await findActive(domain, actor, key, 'revoked'), domain.clock());
  await revokeKeys(domain, revoker, await findActive(domain, actor, key, 'revoked'));
  return 'API key revoked';
}

/** The key as it is now: the page may have shown it for hours. */
async function findActive(domain: Domain, actor: Actor, key: Key, done: 'rotated' | 'revoked'): Promise<Key[]> {
  const keys = await findKeys(domain, actor, [key.id]);
  await requireActive(domain, actor, keys, done);
  return keys;
}
