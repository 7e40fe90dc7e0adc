import type { Actor } from '../../domain/actors.ts';
import type { Domain } from '../../domain/domain.ts';
import { HkctlError } from '../../errors.ts';
import type { Key } from '../../port/keys.ts';
import { hashOf, isCompleteSecret } from '../../secrets.ts';
import { type CreateKeyInput, isCreationOf } from '../issuance.ts';
import { statusOf } from '../keys.ts';
import { chainOf } from '../references.ts';
import type { SecretSlot } from './slot.ts';

/** The task of a command that writes a secret into a file; it identifies the command when it is run again. */
export type FileTask =
  | { kind: 'create'; input: CreateKeyInput }
  | { kind: 'rotate'; oldKey: Key; force: boolean };

/**
 * Finds the active key that an earlier run of the same command has made, by the secret that it left in `PATH.new`. That run was
 * killed, or never got the answer to its commit. Undefined if there is none. `state_forbids` (exit 5) for the secret of another
 * active key, or of a key of another organization. Under the lock of files no running process owns `PATH.new`.
 */
export async function findUnfinished(
  domain: Domain,
  actor: Actor,
  slot: SecretSlot,
  task: FileTask,
): Promise<Key | undefined> {
  const { pendingText, pendingPath } = slot;
  if (pendingText === undefined || !isCompleteSecret(pendingText)) return undefined;

  // The commit of a process that was killed may still be in progress.
  await domain.store.keys.awaitPending();
  const key = await findKeyOf(domain, actor, pendingText);
  if (!key) {
    const foreignCredential = await domain.store.keys.credential(hashOf(pendingText));
    if (!foreignCredential) return undefined;
    throw pendingInTheWay(`${pendingPath} holds the secret of a key of another organization.`);
  }
  if (statusOf(key, domain.clock()) !== 'Active') {
    return undefined;
  }

  const isOurs =
    task.kind === 'create'
      ? isCreationOf(task.input, key, domain.clock())
      : await isRotationOf(domain, actor, slot, task, key);
  if (isOurs) return key;
  throw pendingInTheWay(
    `${pendingPath} holds the secret of another active key, ${key.name} (${key.prefix}).`,
  );
}

/** Whether the key of `PATH.new` replaces the old one. `state_forbids`, unless forced, if PATH holds another secret. */
async function isRotationOf(
  domain: Domain,
  actor: Actor,
  { path, text, pendingPath }: SecretSlot,
  { oldKey, force }: FileTask & { kind: 'rotate' },
  key: Key,
): Promise<boolean> {
  const lineage = await chainOf(domain, actor, key, 'rotatedFrom');
  if (!lineage.some(({ id }) => id === oldKey.id)) {
    return false;
  }

  const placedKey = await findKeyOf(domain, actor, text);
  const predecessors = lineage.slice(1);
  if (predecessors.some(({ id }) => id === placedKey?.id)) {
    return true;
  }

  if (key.id === oldKey.id) {
    throw pendingInTheWay(
      `${pendingPath} holds the secret of ${key.name} (${key.prefix}) itself; no rotation was cut off.`,
    );
  }
  if (force || text === undefined) return true;
  throw notReplaceable(`${path} does not hold the secret that ${pendingPath} replaces.`);
}

/** A secret or the beginning of one, as a command that was cut off leaves it. */
const leftoverPattern = /^(|h|hk|hk_[0-9A-Za-z]{0,49})$/;

/**
 * Refuses, unless forced, to replace a PATH that does not hold the secret of the key that is rotated, and a `PATH.new` that holds
 * no secret: `state_forbids` (exit 5). Returns why `PATH.new`, which holds the secret of no active key, is worthless, if there is
 * one.
 */
export async function requireExpected(
  domain: Domain,
  actor: Actor,
  { path, text, pendingPath, pendingText }: SecretSlot,
  task: FileTask,
): Promise<string | undefined> {
  const force = task.kind === 'rotate' && task.force;
  if (task.kind === 'rotate' && text !== undefined && !force) {
    const { oldKey } = task;
    const placedKey = await findKeyOf(domain, actor, text);
    if (placedKey?.id !== oldKey.id) {
      throw notReplaceable(
        `${path} does not hold the secret of ${oldKey.name} (${oldKey.prefix}).`,
      );
    }
  }

  if (pendingText === undefined) return undefined;
  if (leftoverPattern.test(pendingText)) {
    return 'an earlier run was cut off before its commit, and the secret in it opens nothing';
  }
  if (force) return 'it held no secret';
  throw pendingInTheWay(`${pendingPath} holds no secret, and would be replaced.`);
}

/** The key of the secret in a text, whatever its state; undefined if the organization has no such key. */
export async function findKeyOf(
  domain: Domain,
  { user }: Actor,
  secretText: string | undefined,
): Promise<Key | undefined> {
  if (secretText === undefined || !isCompleteSecret(secretText)) return undefined;
  return domain.store.keys.findByHash(user.tenantId, hashOf(secretText));
}

/** The refusal because of a pending file that must not be replaced. */
function pendingInTheWay(message: string): HkctlError {
  return new HkctlError('state_forbids', message, { hint: 'Move that file away first.' });
}

function notReplaceable(message: string): HkctlError {
  return new HkctlError('state_forbids', message, {
    hint: 'Give the path that does, or --force to replace it whatever it holds.',
  });
}
