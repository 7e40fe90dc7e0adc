import { type Actor, auditDraft, type Domain, requirePermissions } from './actors.ts';
import { type Refusal, refusalOf } from './authentication.ts';
import { endOfDayMs } from './calendar.ts';
import { HkctlError } from './errors.ts';
import { formatInstantMs, formatOptionalMs, isDate, parseInstantUs } from './instants.ts';
import { type ClientPermission, normalisePermissions } from './permissions.ts';
import { drawSecret, hashOf, isCompleteSecret, prefixOf } from './secrets.ts';
import { parseSpanMs } from './settings.ts';
import type { Entity, Key, KeyFilter, KeyPageRequest, KeyStatus, MaybePromise, NewKey } from './store.ts';

/** A key whose secret is about to be handed over, as it will stand once it is kept. */
export interface HandedKey {
  secret: string;
  key: Key;
  /** The key it replaces, as it will stand; null for a new one. */
  revoked: Key | null;
}

/**
 * Where secrets go. `deliver` hands all of them over, flushed, and throws where that fails: then nothing is committed.
 * `complete` runs after the commit (renames `PATH.new` over `PATH`); `withdraw` where delivery or commit failed.
 */
export interface Handover {
  deliver(handed: readonly HandedKey[]): MaybePromise<void>;
  complete(): MaybePromise<void>;
  withdraw(): MaybePromise<void>;
}

/** State of a key at an instant: it becomes Expired by itself at `expires_at`; Revoked wins (specification 3). */
export function statusOf(key: { revokedAtMs: number | null; expiresAtMs: number | null }, nowMs: number): KeyStatus {
  if (key.revokedAtMs !== null) return 'Revoked';
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'Expired';
  return 'Active';
}

export interface CreateKeyInput {
  name: string;
  entity: Entity;
  permissions: readonly ClientPermission[];
  expiresAtMs: number | null;
}

/** Judges the input of {@link createKey} before anybody is asked for more; throws `bad_input` or `entity_inactive`. */
export function requireCreatable(input: CreateKeyInput, nowMs: number): void {
  requireKeyName(input.name);
  if (input.permissions.length === 0) {
    throw new HkctlError('bad_input', 'A key needs at least one permission.', {
      hint: 'Give --preset or --permission; hkctl permissions list shows them.',
    });
  }
  if (input.entity.status !== 'active') {
    throw new HkctlError(
      'entity_inactive',
      `The entity ${input.entity.code} is inactive; its keys could not be used.`,
      {
        hint: `Activate it first: hkctl entities activate ${input.entity.code}`,
      },
    );
  }
  if (input.expiresAtMs !== null && input.expiresAtMs <= nowMs) {
    throw new HkctlError('bad_input', `The expiry ${formatInstantMs(input.expiresAtMs)} is in the past.`, {
      hint: expiryHint,
    });
  }
}

/** A key's name: 1 to 120 characters, no control characters, no blank ends. Throws `bad_input`. */
export function requireKeyName(name: string): void {
  if (name.trim() !== name || name.length < 1 || name.length > 120 || /\p{Cc}/u.test(name)) {
    throw new HkctlError(
      'bad_input',
      'A key name has 1 to 120 characters, none of them control characters or blanks at the ends.',
    );
  }
}

/**
 * Reads an expiry: `never` (null), a span such as `90d`, a date (the end of that day in the entity's time zone) or an
 * RFC 3339 instant, to epoch ms. Throws `bad_input`; whether it is ahead is judged by {@link requireCreatable}.
 */
export function parseExpiry(text: string, nowMs: number, timezone: string): number | null {
  if (text === 'never') return null;
  if (/^\d+[smhdw]$/.test(text)) return nowMs + parseSpanMs(text);
  if (isDate(text)) return endOfDayMs(text, timezone);
  const instantUs = parseInstantUs(text);
  if (instantUs !== undefined) return Math.floor(instantUs / 1000);
  throw new HkctlError('bad_input', `"${text}" is no expiry.`, { hint: expiryHint });
}

const expiryHint = 'Give never, a span such as 90d, a date such as 2027-01-31, or an RFC 3339 instant ahead.';

/** Creates a key: draws a secret, hands it over, then keeps its hash (contract, section 1). Needs `api_keys.create`. */
export async function createKey(domain: Domain, actor: Actor, input: CreateKeyInput, handover: Handover): Promise<Key> {
  await requirePermissions(domain, actor, ['api_keys.create'], { action: 'key.create', target: input.name });
  requireCreatable(input, domain.clock());
  const drafted = await draftKey(domain, actor, domain.clock(), {
    name: input.name,
    entity: input.entity,
    permissions: normalisePermissions(input.permissions),
    expiresAtMs: input.expiresAtMs,
    rotatedFrom: null,
  });
  const { key } = drafted;
  const audit = auditDraft(domain, actor, 'key.create', key.prefix, {
    name: key.name,
    entity: input.entity.code,
    permissions: key.permissions.join(' '),
    expires_at: formatOptionalMs(key.expiresAtMs),
  });
  await handOver(handover, [{ secret: drafted.secret, key, revoked: null }], () =>
    domain.store.keys.insert(drafted.row, audit),
  );
  return key;
}

export interface RotatedKey {
  key: Key;
  revoked: Key;
}

/**
 * Rotates active keys: each gets a successor with the same name, entity, permissions and expiry and a new secret; the old
 * ones are revoked in the same commit, with no grace period (specification 3). All or nothing. Needs `api_keys.create`
 * and `api_keys.delete`.
 */
export async function rotateKeys(
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
  handover: Handover,
): Promise<RotatedKey[]> {
  await requirePermissions(domain, actor, ['api_keys.create', 'api_keys.delete'], {
    action: 'key.rotate',
    target: refs.join(' '),
  });
  const old = await requireActiveKeys(domain, actor, refs, 'rotated');
  const nowMs = domain.clock();
  const handed: (HandedKey & { revoked: Key; row: NewKey })[] = [];
  for (const key of old) handed.push(await draftSuccessor(domain, actor, key, nowMs));
  const audits = handed.map(({ key, revoked: { prefix, name } }) =>
    auditDraft(domain, actor, 'key.rotate', prefix, { name, successor: key.prefix }),
  );
  await handOver(handover, handed, async () => {
    const pairs = handed.map(({ revoked, row }) => ({ oldKeyId: revoked.id, next: row }));
    const stale = await domain.store.keys.rotate(pairs, nowMs, audits);
    if (stale.length > 0) throw raced(old.filter(({ id }) => stale.includes(id)));
  });
  return handed.map(({ key, revoked }) => ({ key, revoked }));
}

async function draftSuccessor(domain: Domain, actor: Actor, old: Key, nowMs: number) {
  if (!old.entity) {
    throw new HkctlError('state_forbids', `The entity of key ${old.prefix} was removed; it cannot be rotated.`, {
      hint: 'Create a new key for another entity and revoke this one.',
    });
  }
  const drafted = await draftKey(domain, actor, nowMs, {
    name: old.name,
    entity: old.entity,
    permissions: old.permissions,
    expiresAtMs: old.expiresAtMs,
    rotatedFrom: old.id,
  });
  const { login, name } = actor.user;
  const revoked = { ...old, revokedAtMs: nowMs, revokedBy: { login, name }, rotatedTo: drafted.key.id };
  return { ...drafted, revoked };
}

/** Revokes active keys at once; all or nothing. Needs `api_keys.delete`. Returns them as they are now. */
export async function revokeKeys(domain: Domain, actor: Actor, refs: readonly string[]): Promise<Key[]> {
  await requirePermissions(domain, actor, ['api_keys.delete'], { action: 'key.revoke', target: refs.join(' ') });
  const keys = await requireActiveKeys(domain, actor, refs, 'revoked');
  const audits = keys.map((key) => auditDraft(domain, actor, 'key.revoke', key.prefix, { name: key.name }));
  const stale = await domain.store.keys.revoke(
    keys.map((key) => key.id),
    actor.user.id,
    domain.clock(),
    audits,
  );
  if (stale.length > 0) throw raced(keys.filter((key) => stale.includes(key.id)));
  const revoked: Key[] = [];
  for (const key of keys) revoked.push(await requireKey(domain, actor, key.id));
  return revoked;
}

/** Lists keys, newest first. Needs `api_keys.view`. */
export async function listKeys(domain: Domain, actor: Actor, filter: KeyFilter, page: KeyPageRequest): Promise<Key[]> {
  await requirePermissions(domain, actor, ['api_keys.view'], { action: 'key.list', target: 'keys' });
  return domain.store.keys.list(actor.user.tenantId, filter, page);
}

/** One key by id or prefix. Needs `api_keys.view`; `not_found` where the tenant has none of that name. */
export async function showKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  await requirePermissions(domain, actor, ['api_keys.view'], { action: 'key.list', target: ref });
  return requireKey(domain, actor, ref);
}

/**
 * Tells which key of the tenant a secret belongs to and why it would be refused (undefined = let in), without using it:
 * `last_used_at` stays. `incomplete_secret` where it is none, `unknown_key` (exit 3) where no key has it.
 */
export async function verifySecret(
  domain: Domain,
  actor: Actor,
  secret: string,
): Promise<{ key: Key; refusal: Refusal | undefined }> {
  const complete = isCompleteSecret(secret);
  // What is no secret may be a password typed at the wrong prompt: nothing of it is kept.
  const target = complete ? prefixOf(secret) : 'incomplete';
  await requirePermissions(domain, actor, ['api_keys.view'], { action: 'key.verify', target });
  if (!complete) {
    throw new HkctlError('incomplete_secret', 'This is no complete secret: its length or its checksum is wrong.', {
      hint: 'A secret has 52 characters and begins with hk_; a part of one, such as the prefix, opens nothing.',
    });
  }
  const hash = hashOf(secret);
  const key = await domain.store.keys.findByHash(actor.user.tenantId, hash);
  const credential = await domain.store.keys.credential(hash);
  if (!key || !credential) throw new HkctlError('unknown_key', 'No key of this store has this secret.');
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

/** Finds keys by id or prefix, each named once; `not_found` (exit 3) and `key_not_active` (exit 5) name all that do not fit. */
export async function requireActiveKeys(
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
  done: 'rotated' | 'revoked',
): Promise<Key[]> {
  const keys = new Map<string, Key>();
  for (const ref of refs) {
    const key = await requireKey(domain, actor, ref);
    keys.set(key.id, key);
  }
  const nowMs = domain.clock();
  for (const key of keys.values()) {
    const status = statusOf(key, nowMs);
    if (status === 'Active') continue;
    throw new HkctlError(
      'key_not_active',
      `The key ${key.name} (${key.prefix}) is ${status}; only active keys can be ${done}.`,
      {
        hint: done === 'rotated' ? 'Create a new key instead: hkctl keys create' : undefined,
      },
    );
  }
  return [...keys.values()];
}

/** One key of the actor's tenant, or "API key not found" (specification 7). */
export async function requireKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  const key = await domain.store.keys.find(actor.user.tenantId, ref);
  if (!key) {
    throw new HkctlError('not_found', 'API key not found', {
      hint: 'Name it by its id or its eight-character prefix; hkctl keys list --all shows every key.',
    });
  }
  return key;
}

async function draftKey(
  domain: Domain,
  actor: Actor,
  nowMs: number,
  fields: Pick<Key, 'name' | 'permissions' | 'expiresAtMs' | 'rotatedFrom'> & { entity: NonNullable<Key['entity']> },
): Promise<{ secret: string; key: Key; row: NewKey }> {
  let secret = drawSecret(domain.random);
  while (await domain.store.keys.prefixTaken(prefixOf(secret))) secret = drawSecret(domain.random);
  const { name, permissions, expiresAtMs, rotatedFrom } = fields;
  const common = {
    id: domain.newId(),
    tenantId: actor.user.tenantId,
    prefix: prefixOf(secret),
    name,
    permissions,
    createdAtMs: nowMs,
    expiresAtMs,
    rotatedFrom,
  };
  const { id, login, name: userName } = actor.user;
  const { id: entityId, code, name: entityName, timezone, status } = fields.entity;
  const key: Key = {
    ...common,
    entity: { id: entityId, code, name: entityName, timezone, status },
    createdBy: { id, login, name: userName },
    lastUsedAtMs: null,
    revokedAtMs: null,
    revokedBy: null,
    rotatedTo: null,
  };
  return { secret, key, row: { ...common, secretHash: hashOf(secret), entityId, createdBy: id } };
}

/** Handing over comes before keeping: no key exists whose secret nobody holds, and no old key dies for one. */
async function handOver(
  handover: Handover,
  handed: readonly HandedKey[],
  commit: () => MaybePromise<void>,
): Promise<void> {
  try {
    await handover.deliver(handed);
    await commit();
  } catch (thrown) {
    await handover.withdraw();
    throw thrown;
  }
  await handover.complete();
}

function raced(keys: readonly Key[]): HkctlError {
  const names = keys.map((key) => `${key.name} (${key.prefix})`).join(', ');
  return new HkctlError('key_not_active', `Meanwhile another process ended ${names}; nothing was changed.`, {
    hint: 'A secret that was just handed over for it opens nothing; throw it away.',
  });
}
