import type { Actor, Domain } from '../../../core/actors.ts';
import { HkctlError } from '../../../core/errors.ts';
import { requireKey, statusOf } from '../../../core/keys.ts';
import { hashOf, isCompleteSecret } from '../../../core/secrets.ts';
import type { Key } from '../../../core/store.ts';
import type { Context } from '../../context.ts';
import { completePending, discardPending, pendingPath, readSecretFile } from '../../handover/files.ts';
import { handoverJson } from '../../handover/stdout.ts';

/**
 * Ends a rotation that was cut off between its steps. A `PATH.new` with the secret of an active successor of the key is
 * renamed over PATH and reported (true: nothing is left to do); one whose secret opens nothing is discarded (false).
 */
export async function finishPending(
  context: Context,
  domain: Domain,
  actor: Actor,
  ref: string,
  path: string,
): Promise<boolean> {
  const pending = pendingPath(path);
  const secret = readSecretFile(pending);
  if (secret === undefined) return false;
  const key = await keyOf(domain, actor, secret);
  if (!key) {
    discardPending(path);
    context.say(`Discarded ${pending}: a rotation was cut off before it was kept, and its secret opens nothing.`);
    return false;
  }
  const asked = await requireKey(domain, actor, ref);
  if (!(await descendsFrom(domain, actor, key, asked))) {
    throw new HkctlError(
      'state_forbids',
      `${pending} holds the secret of another active key, ${key.name} (${key.prefix}).`,
      {
        hint: 'Move that file away first.',
      },
    );
  }
  completePending(path);
  const revoked = key.rotatedFrom === null ? null : await requireKey(domain, actor, key.rotatedFrom);
  if (context.json) {
    context.printJson(handoverJson(context, [{ key, secret: '', revoked }], false, new Map([[key.id, path]])));
  }
  context.say(
    `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix}); an earlier run was cut off, and ${path} now holds its secret.`,
  );
  return true;
}

/** Refuses to replace a file that does not hold the old secret, unless forced: `state_forbids` (exit 5). */
export async function requireReplaceable(domain: Domain, old: Key, path: string, force: boolean): Promise<void> {
  const held = readSecretFile(path);
  if (held === undefined || force) return;
  const key = isCompleteSecret(held) ? await domain.store.keys.findByHash(old.tenantId, hashOf(held)) : undefined;
  if (key?.id === old.id) return;
  throw new HkctlError('state_forbids', `${path} does not hold the secret of ${old.name} (${old.prefix}).`, {
    hint: 'Give the path that does, or --force to replace it whatever it holds.',
  });
}

/** The active key of a secret; one that is not active any more opens nothing, like one that never was. */
async function keyOf(domain: Domain, actor: Actor, secret: string): Promise<Key | undefined> {
  if (!isCompleteSecret(secret)) return undefined;
  const key = await domain.store.keys.findByHash(actor.user.tenantId, hashOf(secret));
  return key && statusOf(key, domain.clock()) === 'Active' ? key : undefined;
}

async function descendsFrom(domain: Domain, actor: Actor, key: Key, ancestor: Key): Promise<boolean> {
  for (let one = key; ; one = await requireKey(domain, actor, one.rotatedFrom)) {
    if (one.id === ancestor.id) return true;
    if (one.rotatedFrom === null) return false;
  }
}
