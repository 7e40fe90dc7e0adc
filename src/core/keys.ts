import { type Actor, auditDraft, type Domain, requirePermissions } from './actors.ts';
import { HkctlError } from './errors.ts';
import { formatInstantMs } from './instants.ts';
import { type ClientPermission, normalisePermissions } from './permissions.ts';
import { drawSecret, hashOf, prefixOf } from './secrets.ts';
import type { Entity, Key, KeyFilter, KeyPageRequest, KeyStatus, MaybePromise, NewKey } from './store.ts';

/**
 * Where a secret goes. `deliver` hands it over, flushed, and throws where that fails: then nothing is committed.
 * `complete` runs after the commit (renames `PATH.new` over `PATH`); `withdraw` where the commit failed after all.
 */
export interface Handover {
  deliver(secret: string, key: { prefix: string; name: string; rotatedFrom: string | null }): MaybePromise<void>;
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
      hint: 'Give --expires never, a span such as 90d, a date such as 2027-01-31, or an RFC 3339 instant ahead.',
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

/** Creates a key: draws a secret, hands it over, then keeps its hash (contract, section 1). Needs `api_keys.create`. */
export async function createKey(domain: Domain, actor: Actor, input: CreateKeyInput, handover: Handover): Promise<Key> {
  await requirePermissions(domain, actor, ['api_keys.create'], { action: 'key.create', target: input.name });
  requireCreatable(input, domain.clock());
  const { secret, key } = await draftKey(domain, actor, {
    name: input.name,
    entityId: input.entity.id,
    permissions: normalisePermissions(input.permissions),
    expiresAtMs: input.expiresAtMs,
    rotatedFrom: null,
  });
  const audit = auditDraft(domain, actor, 'key.create', key.prefix, {
    name: key.name,
    entity: input.entity.code,
    permissions: key.permissions.join(' '),
    expires_at: key.expiresAtMs,
  });
  await handOver(handover, [{ secret, key }], () => domain.store.keys.insert(key, audit));
  return requireKey(domain, actor, key.id);
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
  const pairs: { old: Key; secret: string; key: NewKey }[] = [];
  for (const key of old) {
    if (!key.entity) {
      throw new HkctlError('state_forbids', `The entity of key ${key.prefix} was removed; it cannot be rotated.`, {
        hint: 'Create a new key for another entity and revoke this one.',
      });
    }
    const next = await draftKey(domain, actor, {
      name: key.name,
      entityId: key.entity.id,
      permissions: key.permissions,
      expiresAtMs: key.expiresAtMs,
      rotatedFrom: key.id,
    });
    pairs.push({ old: key, ...next });
  }
  const audits = pairs.map(({ old: { prefix, name }, key }) =>
    auditDraft(domain, actor, 'key.rotate', prefix, { name, successor: key.prefix }),
  );
  await handOver(handover, pairs, async () => {
    const stale = await domain.store.keys.rotate(
      pairs.map(({ old: { id }, key }) => ({ oldKeyId: id, next: key })),
      domain.clock(),
      audits,
    );
    if (stale.length > 0) throw raced(pairs.filter(({ old: { id } }) => stale.includes(id)).map(({ old: o }) => o));
  });
  const rotated: RotatedKey[] = [];
  for (const pair of pairs) {
    rotated.push({
      key: await requireKey(domain, actor, pair.key.id),
      revoked: await requireKey(domain, actor, pair.old.id),
    });
  }
  return rotated;
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
  fields: Pick<NewKey, 'name' | 'entityId' | 'permissions' | 'expiresAtMs' | 'rotatedFrom'>,
): Promise<{ secret: string; key: NewKey }> {
  let secret = drawSecret(domain.random);
  while (await domain.store.keys.prefixTaken(prefixOf(secret))) secret = drawSecret(domain.random);
  return {
    secret,
    key: {
      ...fields,
      id: domain.newId(),
      tenantId: actor.user.tenantId,
      prefix: prefixOf(secret),
      secretHash: hashOf(secret),
      createdBy: actor.user.id,
      createdAtMs: domain.clock(),
    },
  };
}

/** Handing over comes before keeping: no key exists whose secret nobody holds, and no old key dies for one. */
async function handOver(
  handover: Handover,
  drafts: readonly { secret: string; key: NewKey }[],
  commit: () => MaybePromise<void>,
): Promise<void> {
  try {
    for (const { secret, key } of drafts) await handover.deliver(secret, key);
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
