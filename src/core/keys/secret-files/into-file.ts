import type { Actor, Permitted } from '../../domain/actors.ts';
import type { Domain } from '../../domain/domain.ts';
import { afterChange } from '../../errors.ts';
import type { Key } from '../../port/keys.ts';
import type { FileLock } from '../../port/store.ts';
import {
  type CreateKeyInput,
  createKey,
  type RotatedKey,
  rotateKeys,
  type SecretDelivery,
} from '../issuance.ts';
import { statusOf } from '../keys.ts';
import { findKeys } from '../references.ts';
import { takeFileLock } from './file-lock.ts';
import { type FileTask, findKeyOf, findUnfinished, requireExpected } from './leftovers.ts';
import { SecretSlot } from './slot.ts';

/**
 * A secret goes into a file in four steps: inspect PATH and `PATH.new`; resume what an earlier run of the same command has
 * left, or write the secret to `PATH.new`; commit; put it in place. If the process is killed at any of them, either PATH or
 * `PATH.new` holds a secret that works, and the same command completes or reverts the change. All is done under the lock of
 * files: then `PATH.new` is of this process, unless the lock was lost meanwhile.
 */

/** The file for the secret of a rotation, and the facts that identify the same command. */
export interface RotationFile {
  path: string;
  /** PATH is replaced whatever it holds. */
  force: boolean;
  /** The digest of a command that is due afterwards; see `CommandStore`. */
  command: string | undefined;
}

/** A key whose secret is in its file. */
export interface FiledKey {
  key: Key;
  /** The key that it replaces; null for a new one. */
  revoked: Key | null;
  /** The secret that was written; undefined if an earlier run has made the key, and this one has put its file in place. */
  secret: string | undefined;
  /** Why a `PATH.new` that was there was worthless, if it was removed. */
  discarded: { path: string; why: string } | undefined;
}

/** Creates a key with its secret in a new file. Throws `state_forbids` if PATH exists, `bad_input` if it cannot be made. */
export function createIntoFile(
  domain: Domain,
  actor: Permitted<'key.create'>,
  input: CreateKeyInput,
  path: string,
): Promise<FiledKey> {
  return withSlot(domain, path, { isNew: true }, async (slot, lock) => {
    const task = { kind: 'create', input } as const;
    const key = await findUnfinished(domain, actor, slot, task);
    if (key) return resume(slot, { key, revoked: null });

    const { delivery, filed } = await prepare(domain, actor, slot, lock, task);
    return filed({ key: await createKey(domain, actor, input, delivery), revoked: null });
  });
}

/** Rotates a key with the new secret in the place of the old one, or resumes such a rotation. */
export function rotateIntoFile(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  old: Key,
  file: RotationFile,
): Promise<FiledKey> {
  return withSlot(domain, file.path, { isNew: false }, async (slot, lock) => {
    const resumed = await resumeRotation(domain, actor, old, file, slot);
    if (resumed) return resumed;

    const task = { kind: 'rotate', old, force: file.force } as const;
    const { delivery, filed } = await prepare(domain, actor, slot, lock, task);
    // Another process may have ended the key meanwhile.
    const keys = await findKeys(domain, actor, [old.id]);
    const [rotated] = await rotateKeys(domain, actor, keys, delivery, { command: file.command });
    return filed(rotated as RotatedKey); // one for each key, or an error
  });
}

/** Puts the secret of a rotation in place that was cut off after its commit; undefined if there is none. */
export function finishRotation(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  old: Key,
  file: RotationFile,
): Promise<FiledKey | undefined> {
  return withSlot(domain, file.path, { isNew: false }, (slot) =>
    resumeRotation(domain, actor, old, file, slot),
  );
}

/** Whether a file holds the secret of a key. */
export async function fileHolds(
  domain: Domain,
  actor: Actor,
  path: string,
  key: Key,
): Promise<boolean> {
  const placed = await withSlot(domain, path, { isNew: false }, ({ text }) =>
    findKeyOf(domain, actor, text),
  );
  return placed?.id === key.id;
}

/** Refuses an existing path before any question: `state_forbids` (exit 5). */
export async function requireFree(domain: Domain, path: string): Promise<void> {
  await withSlot(domain, path, { isNew: true }, async () => {});
}

async function withSlot<T>(
  domain: Domain,
  path: string,
  options: { isNew: boolean },
  work: (slot: SecretSlot, lock: FileLock) => Promise<T>,
): Promise<T> {
  const lock = await takeFileLock(domain);
  try {
    const slot = SecretSlot.open(path, options);
    try {
      return await work(slot, lock);
    } finally {
      slot.close();
    }
  } finally {
    await lock.release();
  }
}

async function resumeRotation(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  old: Key,
  { force, command }: RotationFile,
  slot: SecretSlot,
): Promise<FiledKey | undefined> {
  const key = await findUnfinished(domain, actor, slot, { kind: 'rotate', old, force });
  if (!key) return undefined;

  // The run that was cut off may have had another command, or none.
  if (command !== undefined) await domain.store.commands.add([key.id], command);
  const [revoked = null] =
    key.rotatedFrom === null ? [] : await findKeys(domain, actor, [key.rotatedFrom]);
  return resume(slot, { key, revoked });
}

function resume(slot: SecretSlot, { key, revoked }: Pick<FiledKey, 'key' | 'revoked'>): FiledKey {
  slot.requireReplaceable();
  slot.putInPlace();
  return { key, revoked, secret: undefined, discarded: undefined };
}

/** Checks all that can be known before the commit, and gives the delivery into a file. */
async function prepare(
  domain: Domain,
  actor: Actor,
  slot: SecretSlot,
  lock: FileLock,
  task: FileTask,
) {
  const why = await requireExpected(domain, actor, slot, task);
  slot.requireReplaceable();
  if (why !== undefined) slot.removePending();

  let secret = '';
  const delivery: SecretDelivery = {
    deliver([delivered]) {
      if (!delivered) return;
      slot.write(delivered.secret);
      ({ secret } = delivered);
    },
    complete: () => place(domain, actor, slot, lock, secret, task),
    withdraw: () => slot.withdraw(),
    keep() {
      const old = task.kind === 'create' ? '' : `, the old one in ${slot.path}`;
      return `The new secret is in ${slot.pendingPath}${old}. The same command, run later, puts it in place if it works, and removes it if not.`;
    },
  };
  const discarded = why === undefined ? undefined : { path: slot.pendingPath, why };
  const filed = ({ key, revoked }: Pick<FiledKey, 'key' | 'revoked'>): FiledKey => {
    return { key, revoked, secret, discarded };
  };
  return { delivery, filed };
}

/** Puts a committed secret in place. */
async function place(
  domain: Domain,
  actor: Actor,
  slot: SecretSlot,
  lock: FileLock,
  secret: string,
  { kind }: FileTask,
): Promise<void> {
  let again: FileLock | undefined;
  try {
    if (!(await lock.isHeld())) again = await takeFileLock(domain);
    if (!slot.holdsWritten()) {
      // While the lock was lost, another process has taken the file for a leftover.
      if (slot.currentText() === secret || !(await isActive(domain, actor, secret))) return;
      slot.write(secret);
    }
    slot.putInPlace();
  } catch (thrown) {
    const done = kind === 'create' ? 'The key was created' : 'The rotation is committed';
    const committed = `${done}, but its secret is still in ${slot.pendingPath}: the same command, run again, puts it in place.`;
    throw afterChange(thrown, committed);
  } finally {
    await again?.release();
  }
}

async function isActive(domain: Domain, actor: Actor, secret: string): Promise<boolean> {
  const key = await findKeyOf(domain, actor, secret);
  return key !== undefined && statusOf(key, domain.clock()) === 'Active';
}
