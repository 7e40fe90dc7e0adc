import { type Actor, auditDraft, type Domain } from '../access/actors.ts';
import { HkctlError } from '../errors.ts';
import type { Key, KeyFilter, KeyPageRequest, KeyStatus } from '../port/keys.ts';
import { printable } from '../text/shown-text.ts';
import { type Refusal, refusalOf } from './authentication.ts';
import { type KeyActor, requireKeyActor } from './key-permissions.ts';
import { hashOf, holdsSecret, isCompleteSecret, prefixOf, redactSecrets } from './secrets.ts';

/** State of a key at an instant: it becomes Expired by itself at `expires_at`; Revoked wins (specification 3). */
export function statusOf(key: { revokedAtMs: number | null; expiresAtMs: number | null }, nowMs: number): KeyStatus {
  if (key.revokedAtMs !== null) return 'Revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'Expired';
  return 'Active';
}

/** Revokes active keys at once; all or nothing. Returns them as they are then. */
export async function revokeKeys(domain: Domain, actor: KeyActor<'revoke'>, keys: readonly Key[]): Promise<Key[]> {
  const nowMs = domain.clock();
  requireActive(keys, nowMs, 'revoked');
  const audits = keys.map((key) => auditDraft(domain, actor, 'key.revoke', key.prefix, { name: key.name }));
  const stale = await domain.store.keys.revoke(
    keys.map((key) => key.id),
    actor.user.id,
    nowMs,
    audits,
  );
  if (stale.length > 0) throw raced(keys, stale, 'revoked');
  return keys.map((key) => revokedBy(actor, key, nowMs));
}

/** A key as an actor's revocation leaves it. */
export function revokedBy({ user: { login, name } }: Actor, key: Key, revokedAtMs: number): Key {
  return { ...key, revokedAtMs, revokedBy: { login, name } };
}

/** Lists keys, newest first. Needs `api_keys.view`. */
export async function listKeys(domain: Domain, actor: Actor, filter: KeyFilter, page: KeyPageRequest): Promise<Key[]> {
  await requireKeyActor(domain, actor, 'list', 'keys');
  return domain.store.keys.list(actor.user.tenantId, filter, page);
}

/** One key by id or prefix. Needs `api_keys.view`; `not_found` where the tenant has none of that name. */
export async function showKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  await requireKeyActor(domain, actor, 'list', ref);
  return requireKey(domain, actor, ref);
}

/**
 * Finds the key of a secret in the tenant and why it would be refused (undefined = let in), without using it:
 * `last_used_at` stays. `incomplete_secret` where it is none, `unknown_key` (exit 3) where no key has it.
 */
export async function verifySecret(
  domain: Domain,
  actor: KeyActor<'verify'>,
  secret: string,
): Promise<{ key: Key; refusal: Refusal | undefined }> {
  if (!isCompleteSecret(secret)) {
    throw new HkctlError('incomplete_secret', 'This is not a complete secret: its length or its checksum is wrong.', {
      hint: 'A secret has 52 characters and begins with hk_; a part of one, such as the prefix, opens nothing.',
    });
  }
  const hash = hashOf(secret);
  const key = await domain.store.keys.findByHash(actor.user.tenantId, hash);
  const credential = await domain.store.keys.credential(hash);
  if (!key || !credential) {
    throw new HkctlError('unknown_key', 'API key not found: no key of this organization has this secret.');
  }
  return { key, refusal: refusalOf(credential, domain.clock()) };
}

/** The chain of rotations a key stands in, oldest first. */
export async function lineageOf(domain: Domain, actor: Actor, key: Key): Promise<Key[]> {
  const chain = [key];
  for (let id = key.rotatedFrom; id !== null; ) {
    const before = await requireKey(domain, actor, id);
    chain.unshift(before);
    id = before.rotatedFrom;
  }
  for (let id = key.rotatedTo; id !== null; ) {
    const next = await requireKey(domain, actor, id);
    chain.push(next);
    id = next.rotatedTo;
  }
  return chain;
}

/** Finds keys by id or prefix, each once; `not_found` (exit 3) names all that are missing. */
export async function findKeys(domain: Domain, actor: Actor, refs: readonly string[]): Promise<Key[]> {
  requireNoSecret(refs);
  const keys = new Map<string, Key>();
  const absent: string[] = [];
  for (const ref of refs) {
    const key = await domain.store.keys.find(actor.user.tenantId, ref);
    if (key) keys.set(key.id, key);
    else absent.push(ref);
  }
  if (absent.length > 0) throw keyNotFound(refs.length > 1 ? absent : []);
  return [...keys.values()];
}

/** Requires keys to be active; `key_not_active` (exit 5) names all that are not. */
export function requireActive(keys: readonly Key[], nowMs: number, done: 'rotated' | 'revoked'): void {
  const inactive = keys.filter((key) => statusOf(key, nowMs) !== 'Active');
  if (inactive.length > 0) throw notActive(inactive, nowMs, done);
}

function notActive(keys: readonly Key[], nowMs: number, done: 'rotated' | 'revoked'): HkctlError {
  const names = keys.map((key) => `${key.name} (${key.prefix}) is ${statusOf(key, nowMs)}`);
  const named = names.length === 1 ? `The key ${names[0]}` : `Of the keys, ${names.join(', ')}`;
  return new HkctlError('key_not_active', `${named}; only active keys can be ${done}.`, {
    hint: done === 'rotated' ? 'Create a new key instead: hkctl keys create' : undefined,
  });
}

/** One key of the actor's tenant, or "API key not found" (specification 7). */
export async function requireKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  requireNoSecret([ref]);
  const key = await domain.store.keys.find(actor.user.tenantId, ref);
  if (!key) throw keyNotFound([]);
  return key;
}

/** A secret in place of a reference is refused with a warning: the shell has recorded the command line (contract, section 3). */
function requireNoSecret(refs: readonly string[]): void {
  const secret = refs.find(holdsSecret);
  if (secret === undefined) return;
  const isPlain = isCompleteSecret(secret);
  throw new HkctlError('bad_input', "A secret was given as REF; it now stands in the shell's history.", {
    hint: isPlain
      ? `Rotate the key, naming it by its prefix: hkctl keys rotate ${prefixOf(secret)}. Then remove that line from the history.`
      : 'Name the key by its id or its eight-character prefix. Rotate it, and remove that line from the history.',
  });
}

/** The refusal of keys that the tenant does not have (exit 3); it names them where several were given. */
export function keyNotFound(refs: readonly string[]): HkctlError {
  const names = refs.map((ref) => printable(redactSecrets(ref))).join(', ');
  return new HkctlError('not_found', names === '' ? 'API key not found' : `API key not found: ${names}`, {
    hint: 'Name it by its id or its eight-character prefix; hkctl keys list --all shows every key.',
  });
}

/** The refusal of a change after another process ended some of the keys first (exit 5). */
export function raced(keys: readonly Key[], endedIds: readonly string[], done: 'rotated' | 'revoked'): HkctlError {
  const ended = keys.filter(({ id }) => endedIds.includes(id));
  const names = ended.map((key) => `${key.name} (${key.prefix})`).join(', ');
  const hints = {
    rotated: 'The secret that was just delivered for it opens nothing; throw it away.',
    revoked: 'A key that is not active needs no revoking; name only the others.',
  };
  return new HkctlError('key_not_active', `Meanwhile another process ended ${names}; nothing was changed.`, {
    hint: hints[done],
  });
}
