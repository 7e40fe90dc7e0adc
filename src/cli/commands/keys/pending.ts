import type { Actor, Domain } from '../../../core/access/actors.ts';
import { HkctlError } from '../../../core/errors.ts';
import { requireKey, statusOf } from '../../../core/keys/keys.ts';
import { hashOf, isCompleteSecret } from '../../../core/keys/secrets.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../context.ts';
import { completePending, discardPending, isLeftover, pendingPath, readSecretFile } from '../../delivery/files.ts';
import { deliveryJson } from '../../delivery/stdout.ts';
import type { Io } from '../../terminal/io.ts';

/**
 * Ends a rotation that was cut off between its steps. A `PATH.new` with the secret of an active successor of the key is
 * renamed over PATH and reported (true: nothing is left to do); one whose secret opens nothing is discarded (false). Any
 * other file of that name is replaced with `force` only: `state_forbids` (exit 5).
 */
export async function finishPending(
  context: Context,
  domain: Domain,
  actor: Actor,
  ref: string,
  { secretFile: path, force }: { secretFile: string; force: boolean },
): Promise<boolean> {
  const { io } = context;
  const pending = io.withOwnRights(() => pendingPath(path));
  const secret = io.withOwnRights(() => readSecretFile(pending));
  if (secret === undefined) return false;
  const asked = await requireKey(domain, actor, ref);
  const key = await keyOf(domain, actor, secret);
  if (!key) {
    const isOurs = io.withOwnRights(() => isLeftover(pending));
    if (!force && !isOurs) throw inTheWay(`${pending} holds no secret; a rotation would replace it.`);
    const what = isOurs
      ? 'a rotation was cut off before it was kept, and its secret opens nothing'
      : 'it held no secret';
    io.withOwnRights(() => discardPending(path));
    context.say(`Discarded ${pending}: ${what}.`);
    return false;
  }
  if (!(await descendsFrom(domain, actor, key, asked))) {
    throw inTheWay(`${pending} holds the secret of another active key, ${key.name} (${key.prefix}).`);
  }
  const revoked = key.rotatedFrom === null ? null : await requireKey(domain, actor, key.rotatedFrom);
  const held = await keyIn(io, path, domain, asked);
  // REF names the successor itself: only the secret of its predecessor in PATH proves an interrupted rotation.
  if (key.id === asked.id && (revoked === null || held?.id !== revoked.id)) {
    throw inTheWay(`${pending} holds the secret of ${key.name} (${key.prefix}) itself; no rotation was cut off.`);
  }
  const isThere = io.withOwnRights(() => readSecretFile(path)) !== undefined;
  if (!force && isThere && !(held && (await descendsFrom(domain, actor, key, held)))) {
    throw new HkctlError('state_forbids', `${path} holds no secret that ${pending} goes on from.`, {
      hint: 'Give the path that does, or --force to replace it whatever it holds.',
    });
  }
  io.withOwnRights(() => completePending(path));
  if (context.json) {
    context.printJson(deliveryJson(domain.clock, [{ key, secret: '', revoked }], false, new Map([[key.id, path]])));
  }
  context.say(
    `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix}); an earlier run was cut off, and ${path} now holds its secret.`,
  );
  return true;
}

function inTheWay(message: string): HkctlError {
  return new HkctlError('state_forbids', message, { hint: 'Move that file away first.' });
}

/** Refuses to replace a file that does not hold the old secret, unless forced: `state_forbids` (exit 5). */
export async function requireReplaceable(
  { io }: Context,
  domain: Domain,
  old: Key,
  path: string,
  force: boolean,
): Promise<void> {
  if (io.withOwnRights(() => readSecretFile(path)) === undefined || force) return;
  if ((await keyIn(io, path, domain, old))?.id === old.id) return;
  throw new HkctlError('state_forbids', `${path} does not hold the secret of ${old.name} (${old.prefix}).`, {
    hint: 'Give the path that does, or --force to replace it whatever it holds.',
  });
}

/** The key whose secret a file holds, whatever became of it. */
async function keyIn(
  io: Io,
  path: string,
  domain: Domain,
  { tenantId }: Pick<Key, 'tenantId'>,
): Promise<Key | undefined> {
  const held = io.withOwnRights(() => readSecretFile(path));
  if (held === undefined || !isCompleteSecret(held)) return undefined;
  return domain.store.keys.findByHash(tenantId, hashOf(held));
}

/** The active key of a secret; undefined for a key that is no longer active. */
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
