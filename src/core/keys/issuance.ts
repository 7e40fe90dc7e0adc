import { type ClientPermission, normalisePermissions } from '../access/permissions.ts';
import { type Actor, auditDraft, type Permitted } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError, isHkctlError } from '../errors.ts';
import type { Entity } from '../port/entities.ts';
import type { Key, NewKey, RotateOptions } from '../port/keys.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import type { StepOfKey } from '../port/pending-steps.ts';
import { drawSecret, hashOf, prefixOf } from '../secrets.ts';
import { requireLabel } from '../text/labels.ts';
import { canonicalText } from '../text/words.ts';
import { formatOptionalMs } from '../time/instants.ts';
import {
  longestLifetimeOf,
  requireAhead,
  requireWithinLifetime,
  successorExpiryMs,
} from './expiry.ts';
import { raced, requireActive, revokedBy } from './keys.ts';

/** A key whose secret is about to be delivered, as the store will hold it. */
export interface DeliveredKey {
  secret: string;
  key: Key;
  /** The key that it replaces, as it will be after the rotation; null for a new key. */
  revoked: Key | null;
}

/**
 * The way of secrets to their owner. `deliver` writes and flushes all of them, and throws on failure: then nothing is committed.
 * `complete` runs after the commit (renames `PATH.new` over `PATH`), and `withdraw` after a failed delivery or commit. `keep` runs
 * if it is unknown whether the commit was made: all copies stay, and the sentence that it returns says where they are.
 */
export interface SecretDelivery {
  deliver(delivered: readonly DeliveredKey[]): MaybePromise<void>;
  complete(): MaybePromise<void>;
  withdraw(): MaybePromise<void>;
  keep?(): MaybePromise<string>;
}

/** Advice on a secret that was delivered, if it is unknown whether its key was committed. */
export const untilVerified =
  'it may be the only secret that works. Check it with: hkctl keys verify';

export interface CreateKeyInput {
  name: string;
  entity: Entity;
  permissions: readonly ClientPermission[];
  expiresAtMs: number | null;
  /** Networks that may use the key, in the form of `parseNetwork`; an empty list allows all. */
  allowedIps?: readonly string[];
  note?: string | null;
}

/**
 * Validates the input of {@link createKey} before the last question; throws `bad_input`, `entity_inactive`, or `state_forbids` for a
 * longer lifetime than the organization allows.
 */
export function requireCreatable(
  input: CreateKeyInput,
  nowMs: number,
  longestDays: number | null,
): void {
  requireKeyName(input.name);
  if (input.permissions.length === 0) {
    throw new HkctlError('bad_input', 'A key needs at least one permission.', {
      hint: 'Give --preset or --permission; hkctl permissions list shows them.',
    });
  }
  requireActiveEntity(input.entity);
  requireAhead(input.expiresAtMs, nowMs);
  requireWithinLifetime(input.expiresAtMs, longestDays, nowMs, input.entity.timezone);
}

/** Refuses an entity whose keys could not be used: `entity_inactive`. */
export function requireActiveEntity({ code, status }: Pick<Entity, 'code' | 'status'>): void {
  if (status === 'active') return;

  throw new HkctlError(
    'entity_inactive',
    `The entity ${code} is inactive; its keys could not be used.`,
    { hint: `Activate it first: hkctl entities activate ${code}` },
  );
}

/** The name of a key as it is stored; throws `bad_input` for an invalid one (see {@link requireLabel}). */
export function requireKeyName(keyName: string): string {
  return requireLabel(keyName, 'A key name');
}

/** Creates a key: draws a secret, delivers it, then stores its hash (promise 1.4); `pending` is due afterwards. */
export async function createKey(
  domain: Domain,
  actor: Permitted<'key.create'>,
  input: CreateKeyInput,
  delivery: SecretDelivery,
  pending?: StepOfKey,
): Promise<Key> {
  requireCreatable(input, domain.clock(), await longestLifetimeOf(domain, actor.user.tenantId));
  const drafted = await draftKey(domain, actor, domain.clock(), {
    ...input,
    name: requireKeyName(input.name),
    permissions: normalisePermissions(input.permissions),
    allowedIps: [...(input.allowedIps ?? [])],
    note: input.note ?? null,
    rotatedFrom: null,
  });

  const { key } = drafted;
  const audit = auditDraft(domain, actor, 'key.create', key.prefix, {
    name: key.name,
    entity: input.entity.code,
    permissions: key.permissions.join(' '),
    expires_at: formatOptionalMs(key.expiresAtMs),
    ...(key.allowedIps.length > 0 && { allowed_ips: key.allowedIps.join(' ') }),
    ...(key.note !== null && { note: key.note }),
  });

  const delivered = { secret: drafted.secret, key, revoked: null };
  await deliverAndCommit(delivery, [delivered], () =>
    domain.store.keys.insert(drafted.row, audit, pending),
  );
  return key;
}

export type RotatedKey = Record<'key' | 'revoked', Key>;

/**
 * Rotates active keys, all or none, with no grace period (promise 1.4). A successor expires with its predecessor, or earlier if the
 * organization has a longest lifetime.
 */
export async function rotateKeys(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  delivery: SecretDelivery,
  options: RotateOptions = {},
): Promise<RotatedKey[]> {
  const nowMs = domain.clock();
  await requireActive(domain, actor, keys, 'rotated');
  const successors: (DeliveredKey & { revoked: Key; row: NewKey })[] = [];
  const longestDays = await longestLifetimeOf(domain, actor.user.tenantId);
  for (const key of keys) {
    const successor = await draftSuccessor(domain, actor, key, nowMs, longestDays);
    successors.push(successor);
  }

  const audits = successors.map(({ key, revoked }) => {
    const isShortened = key.expiresAtMs !== revoked.expiresAtMs;
    const detail = {
      name: revoked.name,
      successor: key.prefix,
      ...(isShortened && { expires_at: formatOptionalMs(key.expiresAtMs) }),
    };
    return auditDraft(domain, actor, 'key.rotate', revoked.prefix, detail);
  });
  await deliverAndCommit(delivery, successors, async () => {
    const rotations = successors.map(({ revoked, row }) => ({ oldKeyId: revoked.id, next: row }));
    const staleIds = await domain.store.keys.rotate(rotations, nowMs, audits, options);
    if (staleIds.length > 0) {
      throw raced(keys, staleIds, 'rotated');
    }
  });
  return successors.map(({ key, revoked }) => ({ key, revoked }));
}

async function draftSuccessor(
  domain: Domain,
  actor: Actor,
  oldKey: Key,
  nowMs: number,
  longestDays: number | null,
) {
  if (!oldKey.entity) {
    throw new HkctlError(
      'state_forbids',
      `The entity of key ${oldKey.prefix} was removed; it cannot be rotated.`,
      {
        hint: 'Create a new key for another entity and revoke this one.',
      },
    );
  }
  const { name, entity, permissions, allowedIps, note } = oldKey;
  const expiresAtMs = successorExpiryMs(oldKey.expiresAtMs, longestDays, nowMs);
  const inherited = { name, entity, permissions, expiresAtMs, allowedIps, note };
  const fields = { ...inherited, rotatedFrom: oldKey.id };
  const drafted = await draftKey(domain, actor, nowMs, fields);
  const revoked = { ...revokedBy(actor, oldKey, nowMs), rotatedTo: drafted.key.id };
  return { ...drafted, revoked };
}

type KeyFields = Pick<
  Key,
  'name' | 'permissions' | 'expiresAtMs' | 'allowedIps' | 'note' | 'rotatedFrom'
>;

async function draftKey(
  domain: Domain,
  actor: Actor,
  nowMs: number,
  fields: KeyFields & { entity: NonNullable<Key['entity']> },
): Promise<{ secret: string; key: Key; row: NewKey }> {
  let secret = drawSecret(domain.random);
  while (await domain.store.keys.prefixTaken(prefixOf(secret))) {
    secret = drawSecret(domain.random);
  }

  const { entity, ...keyFields } = fields;
  const { id: createdBy, tenantId, login, name: userName } = actor.user;
  const { id: entityId, code, name: entityName, timezone, status } = entity;
  const commonFields = {
    ...keyFields,
    id: domain.newId(),
    tenantId,
    prefix: prefixOf(secret),
    createdAtMs: nowMs,
  };
  const key: Key = {
    ...commonFields,
    entity: { id: entityId, code, name: entityName, timezone, status },
    createdBy: { id: createdBy, login, name: userName },
    creatorStatus: actor.user.status,
    lastUsedAtMs: null,
    revokedAtMs: null,
    revokedBy: null,
    rotatedTo: null,
    lastUsedIp: null,
  };
  const row = { ...commonFields, secretHash: hashOf(secret), entityId, createdBy };
  return { secret, key, row };
}

/** Delivery comes before the commit, so that every stored key has a delivered secret and a failure stops no old key. */
async function deliverAndCommit(
  delivery: SecretDelivery,
  delivered: readonly DeliveredKey[],
  commit: () => MaybePromise<void>,
): Promise<void> {
  try {
    await delivery.deliver(delivered);
    await commit();
  } catch (thrown) {
    if (isHkctlError(thrown) && thrown.code === 'commit_unknown') {
      const copiesText = await delivery.keep?.();
      throw inDoubt(thrown, copiesText);
    }
    await delivery.withdraw();
    throw thrown;
  }
  await delivery.complete();
}

function inDoubt(
  { code, message, hint, cause }: HkctlError,
  copiesText: string | undefined,
): HkctlError {
  return new HkctlError(code, message, {
    more: copiesText === undefined ? [] : [copiesText],
    hint,
    cause,
  });
}

/** How much later an expiry such as 90d may be for the same command: it is counted from the time of the command. */
const spanToleranceMs = 60_000;

/** Whether the same command has created a key before. */
export function isCreationOf(input: CreateKeyInput, key: Key, nowMs: number): boolean {
  return (
    key.rotatedFrom === null &&
    key.entity?.id === input.entity.id &&
    comparableFields(key) === comparableFields(input) &&
    isSameExpiry(input, key, nowMs)
  );
}

function comparableFields(command: Omit<CreateKeyInput, 'entity' | 'expiresAtMs'>): string {
  return JSON.stringify([
    canonicalText(command.name),
    normalisePermissions(command.permissions),
    command.allowedIps ?? [],
    command.note ?? null,
  ]);
}

function isSameExpiry(input: CreateKeyInput, key: Key, nowMs: number): boolean {
  if (key.expiresAtMs === input.expiresAtMs) return true;
  if (key.expiresAtMs === null || input.expiresAtMs === null) {
    return false;
  }

  const keySpanMs = key.expiresAtMs - key.createdAtMs;
  const inputSpanMs = input.expiresAtMs - nowMs;
  return Math.abs(keySpanMs - inputSpanMs) < spanToleranceMs;
}
