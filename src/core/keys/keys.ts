import { type Actor, auditDraft, type Permitted, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Key, KeyFilter, KeyPageRequest, KeyStatus } from '../port/keys.ts';
import { hashOf, isCompleteSecret } from '../secrets.ts';
import { requireLabel } from '../text/labels.ts';
import { canonicalText } from '../text/words.ts';
import { dayMs } from '../time/spans.ts';
import { refusalOf } from './authentication.ts';
import { chainOf, keyNotFound, latestOf, requireKey } from './references.ts';
import type { Refusal } from './refusals.ts';

/** State of a key at an instant: it becomes Expired by itself at `expires_at`; Revoked wins (promise 3.16). */
export function statusOf(
  key: { revokedAtMs: number | null; expiresAtMs: number | null },
  nowMs: number,
): KeyStatus {
  if (key.revokedAtMs !== null) return 'Revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) {
    return 'Expired';
  }
  return 'Active';
}

export const expiresSoonMs = 14 * dayMs;

/** A key that was not used for this time is probably not needed any more. */
export const unusedLongMs = 90 * dayMs;

/** Whether a key that is not revoked expires within 14 days, but has not expired yet. */
export function expiresSoon(
  { revokedAtMs, expiresAtMs }: Pick<Key, 'revokedAtMs' | 'expiresAtMs'>,
  nowMs: number,
) {
  if (revokedAtMs !== null || expiresAtMs === null) return false;
  return expiresAtMs > nowMs && expiresAtMs <= nowMs + expiresSoonMs;
}

/** Revokes active keys at once; all or nothing. Returns them as they are then. */
export async function revokeKeys(
  domain: Domain,
  actor: Permitted<'key.revoke'>,
  keys: readonly Key[],
): Promise<Key[]> {
  const nowMs = domain.clock();
  await requireActive(domain, actor, keys, 'revoked');

  const keyIds = keys.map((key) => key.id);
  const audits = keys.map((key) =>
    auditDraft(domain, actor, 'key.revoke', key.prefix, { name: key.name }),
  );
  const staleIds = await domain.store.keys.revoke(keyIds, actor.user.id, nowMs, audits);
  if (staleIds.length > 0) {
    throw raced(keys, staleIds, 'revoked');
  }
  return keys.map((key) => revokedBy(actor, key, nowMs));
}

export function revokedBy({ user }: Actor, key: Key, revokedAtMs: number): Key {
  const { login, name } = user;
  return { ...key, revokedAtMs, revokedBy: { login, name } };
}

/** A note as it is stored: up to 500 visible characters (see {@link requireLabel}), null for a blank one. Throws `bad_input`. */
export function parseNote(noteText: string): string | null {
  if (noteText.trim() === '') return null;
  return requireLabel(noteText, 'A note', 500);
}

export async function setNote(
  domain: Domain,
  actor: Permitted<'key.note'>,
  key: Key,
  noteText: string,
): Promise<Key> {
  const note = parseNote(noteText);
  const detail = { name: key.name, note };
  const audit = auditDraft(domain, actor, 'key.note', key.prefix, detail);
  const isFound = await domain.store.keys.setNote(key.id, note, audit);
  if (!isFound) throw keyNotFound([]);
  return { ...key, note };
}

/** Lists keys, newest first. Needs `api_keys.view`. */
export async function listKeys(
  domain: Domain,
  actor: Actor,
  filter: KeyFilter,
  page: KeyPageRequest,
): Promise<Key[]> {
  await requirePermissions(domain, actor, 'key.list', 'keys');
  return domain.store.keys.list(actor.user.tenantId, canonicalFilter(filter), page);
}

function canonicalFilter(filter: KeyFilter): KeyFilter {
  if (filter.search === undefined) return filter;
  return { ...filter, search: canonicalText(filter.search) };
}

/** Finds a key by a reference as `requireKey` takes it. Needs `api_keys.view`. */
export async function showKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  await requirePermissions(domain, actor, 'key.list', ref);
  return requireKey(domain, actor, ref);
}

/**
 * Finds the key of a secret, and why it would be refused (undefined: let in); `last_used_at` stays. Throws
 * `incomplete_secret`, or `unknown_key` (exit 3).
 */
export async function verifySecret(
  domain: Domain,
  actor: Permitted<'key.verify'>,
  secret: string,
): Promise<{ key: Key; refusal: Refusal | undefined }> {
  if (!isCompleteSecret(secret)) {
    throw new HkctlError(
      'incomplete_secret',
      'This is not a complete secret: its length or its checksum is wrong.',
      {
        hint: 'A secret has 52 characters and begins with hk_; a part of one, such as the prefix, opens nothing.',
      },
    );
  }
  const hash = hashOf(secret);
  const key = await domain.store.keys.findByHash(actor.user.tenantId, hash);
  const credential = await domain.store.keys.credential(hash);
  if (!key || !credential) {
    throw new HkctlError(
      'unknown_key',
      'API key not found: no key of this organization has this secret.',
    );
  }
  return { key, refusal: refusalOf(credential, domain.clock()) };
}

/** A key with its predecessors and successor by rotation, oldest first. */
export async function lineageOf(domain: Domain, actor: Actor, key: Key): Promise<Key[]> {
  const [, ...predecessors] = await chainOf(domain, actor, key, 'rotatedFrom');
  const successors = await chainOf(domain, actor, key, 'rotatedTo');
  return [...predecessors.reverse(), ...successors];
}

/** Requires keys to be active; `key_not_active` (exit 5) names all inactive keys and their successors. */
export async function requireActive(
  domain: Domain,
  actor: Actor,
  keys: readonly Key[],
  change: 'rotated' | 'revoked',
): Promise<void> {
  const nowMs = domain.clock();
  const inactiveKeys = keys.filter((key) => statusOf(key, nowMs) !== 'Active');
  if (inactiveKeys.length === 0) return;

  const descriptions: string[] = [];
  const activePrefixes: string[] = [];
  for (const key of inactiveKeys) {
    const [latest = key] = await latestOf(domain, actor, [key]);
    const latestStatus = statusOf(latest, nowMs);
    const isLatestActive = latestStatus === 'Active';
    if (isLatestActive) activePrefixes.push(latest.prefix);

    const description = `${keyLabel(key)} is ${statusOf(key, nowMs)}`;
    const statusNote = isLatestActive ? '' : ` (${latestStatus})`;
    const rotationNote = latest === key ? '' : `, rotated to ${latest.prefix}${statusNote}`;
    descriptions.push(description + rotationNote);
  }

  const isOne = descriptions.length === 1;
  const subject = isOne ? `The key ${descriptions[0]}` : `Of the keys, ${descriptions.join(', ')}`;
  throw new HkctlError('key_not_active', `${subject}; only active keys can be ${change}.`, {
    hint: successorHint(change, activePrefixes),
  });
}

function successorHint(
  change: 'rotated' | 'revoked',
  activePrefixes: readonly string[],
): string | undefined {
  if (activePrefixes.length > 0) {
    const verb = change === 'rotated' ? 'rotate' : 'revoke';
    return `Name the successor: hkctl keys ${verb} ${activePrefixes.join(' ')}`;
  }
  return change === 'rotated' ? 'Create a new key instead: hkctl keys create' : undefined;
}

function keyLabel({ name, prefix }: Key): string {
  return `${name} (${prefix})`;
}

/** The refusal of a change after another process ended some of the keys first (exit 5). */
export function raced(
  keys: readonly Key[],
  endedIds: readonly string[],
  change: 'rotated' | 'revoked',
): HkctlError {
  const endedKeys = keys.filter(({ id }) => endedIds.includes(id));
  const endedNames = endedKeys.map(keyLabel).join(', ');
  const hintsByChange = {
    rotated: 'The secret that was just delivered for it opens nothing; throw it away.',
    revoked: 'A key that is not active needs no revoking; name only the others.',
  };
  return new HkctlError(
    'key_not_active',
    `Meanwhile another process ended ${endedNames}; nothing was changed.`,
    {
      hint: hintsByChange[change],
    },
  );
}
