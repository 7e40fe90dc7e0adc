import { type Actor, requirePermissions } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { errorTable, isHkctlError } from '../../../core/errors.ts';
import { requireActive, revokeKeys } from '../../../core/keys/keys.ts';
import { findKeys } from '../../../core/keys/references.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import { messageWithHint } from '../../terminal/sentence.ts';
import { completeInput, createAndDeliver } from '../keys/create.ts';
import { confirmRevocation } from '../keys/revoke.ts';
import { rotateAndDeliver } from '../keys/rotate/rotate.ts';

/** Who acts on which store, and the address of the API if the command line names one. */
export interface PageSession {
  domain: Domain;
  actor: Actor;
  baseUrl?: string;
}

/** Opens the documents in a browser; returns a message, which shows the address if there is no browser, as over SSH. */
export async function openDocumentation({ io }: Context, url: string): Promise<string> {
  return io.open(url).then(
    () => `Opened ${url}`,
    () => `Documentation: ${url}`,
  );
}

/** Create key: it asks for everything, shows the panel, and returns the message of success, as the actions below do. */
export async function createHere(context: Context, { domain, actor, baseUrl }: PageSession): Promise<string> {
  const creator = await requirePermissions(domain, actor, 'key.create', '');
  const input = await completeInput(context, domain, actor, { permission: [] });
  await createAndDeliver(context, domain, creator, input, { copy: false, baseUrl });
  return 'API key created';
}

export async function rotateHere(context: Context, { domain, actor, baseUrl }: PageSession, key: Key) {
  const rotator = await requirePermissions(domain, actor, 'key.rotate', key.prefix);
  const keys = await findActive(domain, actor, key, 'rotated');
  await rotateAndDeliver(context, domain, rotator, keys, { copy: false, several: false, baseUrl });
  return 'API key rotated';
}

export async function revokeHere(context: Context, { domain, actor }: PageSession, key: Key) {
  const revoker = await requirePermissions(domain, actor, 'key.revoke', key.prefix);
  await confirmRevocation(context, await findActive(domain, actor, key, 'revoked'), domain.clock());
  await revokeKeys(domain, revoker, await findActive(domain, actor, key, 'revoked'));
  return 'API key revoked';
}

/** The key as it is now: the page may have shown it for hours. */
async function findActive(domain: Domain, actor: Actor, key: Key, done: 'rotated' | 'revoked'): Promise<Key[]> {
  const keys = await findKeys(domain, actor, [key.id]);
  await requireActive(domain, actor, keys, done);
  return keys;
}

/** The message of an action's success, or of its refusal; only a store that cannot be used ends the page (exit 6). */
export async function outcomeOf(work: Promise<string>, ofCancelling?: string): Promise<string> {
  try {
    return await work;
  } catch (thrown) {
    if (!isHkctlError(thrown) || errorTable[thrown.code].exit === 6) throw thrown;
    return (thrown.code === 'cancelled' && ofCancelling) || messageWithHint(thrown);
  }
}
