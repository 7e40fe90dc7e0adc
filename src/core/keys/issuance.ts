import { type Actor, auditDraft, type Domain, requirePermissions } from '../access/actors.ts';
import { type ClientPermission, normalisePermissions } from '../access/permissions.ts';
import { HkctlError } from '../errors.ts';
import { parseSpanMs } from '../operations/settings.ts';
import type { Entity } from '../port/entities.ts';
import type { Key, NewKey } from '../port/keys.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import { requireLabel } from '../text/labels.ts';
import { endOfDayMs } from '../time/calendar.ts';
import { formatInstantMs, formatOptionalMs, isDate, parseInstantMs } from '../time/instants.ts';
import { raced, requireActiveKeys } from './keys.ts';
import { drawSecret, hashOf, prefixOf } from './secrets.ts';

/** A key whose secret is about to be delivered, as the store will hold it. */
export interface DeliveredKey {
  secret: string;
  key: Key;
  /** The key it replaces, as it will stand; null for a new one. */
  revoked: Key | null;
}

/**
 * Where secrets go. `deliver` writes and flushes all of them, and throws on failure: then nothing is committed.
 * `complete` runs after the commit (renames `PATH.new` over `PATH`); `withdraw` where delivery or commit failed.
 */
export interface SecretDelivery {
  deliver(handed: readonly DeliveredKey[]): MaybePromise<void>;
  complete(): MaybePromise<void>;
  withdraw(): MaybePromise<void>;
}

export interface CreateKeyInput {
  name: string;
  entity: Entity;
  permissions: readonly ClientPermission[];
  expiresAtMs: number | null;
}

/** Validates the input of {@link createKey} before the first question; throws `bad_input` or `entity_inactive`. */
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

/** A key's name; see {@link requireLabel}. Throws `bad_input`. */
export function requireKeyName(name: string): void {
  requireLabel(name, 'A key name');
}

/**
 * Reads an expiry: `never` (null), a span such as `90d`, a date (the end of that day in the entity's time zone) or an
 * RFC 3339 instant, to epoch ms. Throws `bad_input`; {@link requireCreatable} checks that it is ahead.
 */
export function parseExpiry(text: string, nowMs: number, timezone: string): number | null {
  if (text === 'never') return null;
  const atMs = /^\d+[smhdw]$/.test(text)
    ? nowMs + parseSpanMs(text)
    : isDate(text)
      ? endOfDayMs(text, timezone)
      : parseInstantMs(text);
  // The last day of the calendar, which stands for never in many systems, ends beyond it in the west.
  if (atMs !== undefined && atMs - latestMs < 86_400_000) return Math.min(atMs, latestMs);
  throw new HkctlError('bad_input', `"${text}" is no expiry.`, { hint: expiryHint });
}

/** What RFC 3339 can write at most. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const expiryHint = 'Give never, a span such as 90d, a date such as 2027-01-31, or an RFC 3339 instant ahead.';

/** Creates a key: draws a secret, delivers it, then stores its hash (contract, section 1). Needs `api_keys.create`. */
export async function createKey(
  domain: Domain,
  actor: Actor,
  input: CreateKeyInput,
  delivery: SecretDelivery,
): Promise<Key> {
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
  await deliverAndCommit(delivery, [{ secret: drafted.secret, key, revoked: null }], () =>
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
  delivery: SecretDelivery,
): Promise<RotatedKey[]> {
  await requirePermissions(domain, actor, ['api_keys.create', 'api_keys.delete'], {
    action: 'key.rotate',
    target: refs.join(' '),
  });
  const old = await requireActiveKeys(domain, actor, refs, 'rotated');
  const nowMs = domain.clock();
  const handed: (DeliveredKey & { revoked: Key; row: NewKey })[] = [];
  for (const key of old) handed.push(await draftSuccessor(domain, actor, key, nowMs));
  const audits = handed.map(({ key, revoked: { prefix, name } }) =>
    auditDraft(domain, actor, 'key.rotate', prefix, { name, successor: key.prefix }),
  );
  await deliverAndCommit(delivery, handed, async () => {
    const pairs = handed.map(({ revoked, row }) => ({ oldKeyId: revoked.id, next: row }));
    const stale = await domain.store.keys.rotate(pairs, nowMs, audits);
    if (stale.length > 0)
      throw raced(
        old.filter(({ id }) => stale.includes(id)),
        'rotated',
      );
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

/** Delivery comes before the commit, so that every stored key has a delivered secret and a failure stops no old key. */
async function deliverAndCommit(
  delivery: SecretDelivery,
  handed: readonly DeliveredKey[],
  commit: () => MaybePromise<void>,
): Promise<void> {
  try {
    await delivery.deliver(handed);
    await commit();
  } catch (thrown) {
    await delivery.withdraw();
    throw thrown;
  }
  await delivery.complete();
}
