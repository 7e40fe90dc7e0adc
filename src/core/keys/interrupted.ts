import { normalisePermissions } from '../access/permissions.ts';
import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Key } from '../port/keys.ts';
import { hashOf, isCompleteSecret } from '../secrets.ts';
import type { CreateKeyInput } from './issuance.ts';
import { statusOf } from './keys.ts';
import { chainOf, requireKey } from './references.ts';

/** What is in the files of a rotation. A text is undefined if the file is missing. */
export interface RotationFiles {
  /** The file that holds the secret in use. */
  path: string;
  text: string | undefined;
  /** The file next to it that holds the next secret until the rotation is committed. */
  pendingPath: string;
  pendingText: string | undefined;
  /** Whether the pending file holds a secret or the beginning of one, as a rotation that was cut off leaves it. */
  pendingIsLeftover: boolean;
}

export interface FoundRotation {
  old: Key;
  files: RotationFiles;
  /** Whether PATH is replaced whatever it holds. */
  force: boolean;
}

/**
 * Finds the active successor whose secret a rotation that was cut off has left in the pending file, and the key that it replaced.
 * Undefined if there is none; {@link requireReplaceable} decides about any other content. `state_forbids` (exit 5) for the secret of
 * another active key and, unless forced, for a PATH that does not hold the secret of a predecessor.
 *
 * Under the lock of rotations, no running process owns the pending file; only its commit may still be in progress.
 */
export async function findInterrupted(
  domain: Domain,
  actor: Actor,
  { old, files, force }: FoundRotation,
): Promise<{ key: Key; revoked: Key | null } | undefined> {
  const { path, pendingPath } = files;
  const key = await keyOfPending(domain, actor, files);
  if (!key || statusOf(key, domain.clock()) !== 'Active') return undefined;
  if (!(await descendsFrom(domain, actor, key, old))) {
    throw heldByAnother(pendingPath, key);
  }
  const revoked = key.rotatedFrom === null ? null : await requireKey(domain, actor, key.rotatedFrom);
  const held = await keyOf(domain, actor, files.text);
  // REF names the successor itself: only the secret of its predecessor in PATH proves an interrupted rotation.
  if (key.id === old.id && (revoked === null || held?.id !== revoked.id)) {
    throw inTheWay(`${pendingPath} holds the secret of ${key.name} (${key.prefix}) itself; no rotation was cut off.`);
  }
  if (!force && files.text !== undefined && !(held && (await descendsFrom(domain, actor, key, held)))) {
    throw notReplaceable(`${path} does not hold the secret that ${pendingPath} replaces.`);
  }
  return { key, revoked };
}

/**
 * Refuses to replace a PATH that does not hold the secret of the old key, and a pending file of another process, unless
 * forced: `state_forbids` (exit 5). Returns why the pending file is worthless, if there is one.
 */
export async function requireReplaceable(
  domain: Domain,
  actor: Actor,
  { old, files, force }: FoundRotation,
): Promise<string | undefined> {
  const { path, text } = files;
  if (text !== undefined && !force && (await keyOf(domain, actor, text))?.id !== old.id) {
    throw notReplaceable(`${path} does not hold the secret of ${old.name} (${old.prefix}).`);
  }
  return requireWorthless(files, force);
}

/**
 * Why a pending file is worthless that holds the secret of no active key, if there is one: undefined without. Refuses one that holds
 * no secret, unless forced: `state_forbids` (exit 5).
 */
export function requireWorthless(
  { pendingPath, pendingText, pendingIsLeftover }: RotationFiles,
  force = false,
): string | undefined {
  if (pendingText === undefined) return undefined;
  if (pendingIsLeftover) return 'an earlier run was cut off before its commit, and the secret in it opens nothing';
  if (force) return 'it held no secret';
  throw inTheWay(`${pendingPath} holds no secret, and would be replaced.`);
}

/**
 * Finds the active key that an earlier run of the same command has created, by the secret that it left in the pending file: it was
 * killed, or never got the answer to its commit. Undefined if there is none. `state_forbids` (exit 5) for the secret of another
 * active key. Runs under the lock of the files, as `findInterrupted`.
 */
export async function findCreated(
  domain: Domain,
  actor: Actor,
  input: CreateKeyInput,
  files: RotationFiles,
): Promise<Key | undefined> {
  const key = await keyOfPending(domain, actor, files);
  const nowMs = domain.clock();
  if (!key || statusOf(key, nowMs) !== 'Active') return undefined;
  if (isAsked(key, input, nowMs)) return key;
  throw heldByAnother(files.pendingPath, key);
}

/** How much later an expiry such as 90d may be for the same command: what it is counted from is the time of the command. */
const spanToleranceMs = 60_000;

function isAsked(key: Key, input: CreateKeyInput, nowMs: number): boolean {
  const fields = (one: Omit<CreateKeyInput, 'entity' | 'expiresAtMs'>) => [
    one.name,
    normalisePermissions(one.permissions),
    one.allowedIps ?? [],
    one.note ?? null,
  ];
  const spanMs = (expiresAtMs: number | null, fromMs: number) => (expiresAtMs ?? Number.NaN) - fromMs;
  const difference = spanMs(key.expiresAtMs, key.createdAtMs) - spanMs(input.expiresAtMs, nowMs);
  return (
    key.rotatedFrom === null &&
    key.entity?.id === input.entity.id &&
    JSON.stringify(fields(key)) === JSON.stringify(fields(input)) &&
    (key.expiresAtMs === input.expiresAtMs || Math.abs(difference) < spanToleranceMs)
  );
}

/**
 * The key whose secret a pending file holds, whatever its state, once no commit is in progress any more that could make it.
 * `state_forbids` (exit 5) for a key of another organization.
 */
async function keyOfPending(
  domain: Domain,
  actor: Actor,
  { pendingPath, pendingText }: RotationFiles,
): Promise<Key | undefined> {
  const key = await keyOf(domain, actor, pendingText);
  if (key || pendingText === undefined || !isCompleteSecret(pendingText)) return key;
  await domain.store.keys.settle();
  const settled = await keyOf(domain, actor, pendingText);
  if (!settled && (await domain.store.keys.credential(hashOf(pendingText)))) {
    throw inTheWay(`${pendingPath} holds the secret of a key of another organization.`);
  }
  return settled;
}

export async function isSecretOf(domain: Domain, actor: Actor, text: string | undefined, key: Key): Promise<boolean> {
  return (await keyOf(domain, actor, text))?.id === key.id;
}

export async function isActiveSecret(domain: Domain, actor: Actor, secret: string): Promise<boolean> {
  const key = await keyOf(domain, actor, secret);
  return key !== undefined && statusOf(key, domain.clock()) === 'Active';
}

function heldByAnother(pendingPath: string, { name, prefix }: Key): HkctlError {
  return inTheWay(`${pendingPath} holds the secret of another active key, ${name} (${prefix}).`);
}

/** The refusal because of a pending file that must not be replaced. */
function inTheWay(message: string): HkctlError {
  return new HkctlError('state_forbids', message, { hint: 'Move that file away first.' });
}

function notReplaceable(message: string): HkctlError {
  return new HkctlError('state_forbids', message, {
    hint: 'Give the path that does, or --force to replace it whatever it holds.',
  });
}

async function keyOf(domain: Domain, { user }: Actor, text: string | undefined): Promise<Key | undefined> {
  if (text === undefined || !isCompleteSecret(text)) return undefined;
  return domain.store.keys.findByHash(user.tenantId, hashOf(text));
}

async function descendsFrom(domain: Domain, actor: Actor, key: Key, { id }: Key): Promise<boolean> {
  return (await chainOf(domain, actor, key, 'rotatedFrom')).some((one) => one.id === id);
}
