import type { Actor } from '../../domain/actors.ts';
import type { Domain } from '../../domain/domain.ts';
import { HkctlError } from '../../errors.ts';
import type { Key } from '../../port/keys.ts';
import { hashOf, isCompleteSecret } from '../../secrets.ts';
import { isCreationOf } from '../creations.ts';
import type { CreateKeyInput } from '../issuance.ts';
import { statusOf } from '../keys.ts';
import { chainOf } from '../references.ts';
import type { SecretSlot } from './slot.ts';

/** The task of a command that writes a secret into a file: by it the same command is recognized when it is run again. */
export type FileTask =
  | { kind: 'create'; input: CreateKeyInput }
  | { kind: 'rotate'; old: Key; force: boolean };

/**
 * Finds the active key that an earlier run of the same command has made, by the secret that it left in `PATH.new`: it was
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
  if (!key && (await domain.store.keys.credential(hashOf(pendingText)))) {
    throw inTheWay(`${pendingPath} holds the secret of a key of another organization.`);
  }
  if (!key || statusOf(key, domain.clock()) !== 'Active') return undefined;

  const isOurs =
    task.kind === 'create'
      ? isCreationOf(task.input, key, domain.clock())
      : await isRotationOf(domain, actor, slot, task, key);
  if (isOurs) return key;
  throw inTheWay(
    `${pendingPath} holds the secret of another active key, ${key.name} (${key.prefix}).`,
  );
}

/** Whether the key of `PATH.new` replaces the old one. `state_forbids`, unless forced, if PATH holds another secret. */
async function isRotationOf(
  domain: Domain,
  actor: Actor,
  { path, text, pendingPath }: SecretSlot,
  { old, force }: FileTask & { kind: 'rotate' },
  key: Key,
): Promise<boolean> {
  const lineage = await chainOf(domain, actor, key, 'rotatedFrom');
  if (!lineage.some(({ id }) => id === old.id)) return false;

  const placed = await findKeyOf(domain, actor, text);
  if (lineage.slice(1).some(({ id }) => id === placed?.id)) return true;
  if (key.id === old.id) {
    throw inTheWay(
      `${pendingPath} holds the secret of ${key.name} (${key.prefix}) itself; no rotation was cut off.`,
    );
  }
  if (force || text === undefined) return true;
  throw notReplaceable(`${path} does not hold the secret that ${pendingPath} replaces.`);
}

/** A secret or the beginning of one, as a command that was cut off leaves it. */
const leftover = /^(|h|hk|hk_[0-9A-Za-z]{0,49})$/;

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
    const { old } = task;
    const placed = await findKeyOf(domain, actor, text);
    if (placed?.id !== old.id) {
      throw notReplaceable(`${path} does not hold the secret of ${old.name} (${old.prefix}).`);
    }
  }

  if (pendingText === undefined) return undefined;
  if (leftover.test(pendingText)) {
    return 'an earlier run was cut off before its commit, and the secret in it opens nothing';
  }
  if (force) return 'it held no secret';
  throw inTheWay(`${pendingPath} holds no secret, and would be replaced.`);
}

/** The key of the secret in a text, whatever its state; undefined if it is none of the organization's. */
export async function findKeyOf(
  domain: Domain,
  { user }: Actor,
  text: string | undefined,
): Promise<Key | undefined> {
  if (text === undefined || !isCompleteSecret(text)) return undefined;
  return domain.store.keys.findByHash(user.tenantId, hashOf(text));
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
