import type { Actor, Permitted } from '../../domain/actors.ts';
import type { Domain } from '../../domain/domain.ts';
import { afterChange, HkctlError } from '../../errors.ts';
import type { Key } from '../../port/keys.ts';
import type { StepOfKey } from '../../port/pending-steps.ts';
import type { FileLock } from '../../port/store.ts';
import {
  type CreateKeyInput,
  createKey,
  type RotatedKey,
  rotateKeys,
  type SecretDelivery,
} from '../issuance.ts';
import { statusOf } from '../keys.ts';
import { resumableSteps } from '../pending-steps.ts';
import { findKeys, latestOf } from '../references.ts';
import { type FileTask, findKeyOf, findUnfinished, requireExpected } from './leftovers.ts';
import { SecretSlot } from './slot.ts';

/**
 * A secret goes into a file in four steps: inspect PATH and `PATH.new`; resume an earlier run of the same command, or write
 * the secret to `PATH.new`; commit; put it in place. If the process is killed at any step, either PATH or `PATH.new` holds a
 * secret that works, and the same command completes or reverts the change. All is done under the lock of
 * files: then this process owns `PATH.new`, unless the lock was lost meanwhile.
 */

/** The file for the secret of a rotation, and the facts that identify the same command. */
export interface RotationFile {
  path: string;
  /** PATH is replaced whatever it holds. */
  force: boolean;
  /** The step that is due afterwards. */
  pending: StepOfKey | undefined;
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
    if (key) {
      return finishPlacement(slot, { key, revoked: null });
    }

    const { delivery, toFiledKey } = await prepareDelivery(domain, actor, slot, lock, task);
    const created = await createKey(domain, actor, input, delivery);
    return toFiledKey({ key: created, revoked: null });
  });
}

/** Rotates a key with the new secret in the place of the old one, or resumes such a rotation. */
export function rotateIntoFile(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  oldKey: Key,
  rotationFile: RotationFile,
): Promise<FiledKey> {
  return withSlot(domain, rotationFile.path, { isNew: false }, async (slot, lock) => {
    const resumed = await resumeRotation(domain, actor, oldKey, rotationFile, slot);
    if (resumed) return resumed;

    const task = { kind: 'rotate', oldKey, force: rotationFile.force } as const;
    const { delivery, toFiledKey } = await prepareDelivery(domain, actor, slot, lock, task);
    // Another process may have ended the key meanwhile.
    const keys = await findKeys(domain, actor, [oldKey.id]);
    const [rotated] = await rotateKeys(domain, actor, keys, delivery, {
      pending: rotationFile.pending,
    });
    return toFiledKey(rotated as RotatedKey); // one for each key, or an error
  });
}

/** Puts the secret of a rotation in place that was cut off after its commit; undefined if there is none. */
export function finishRotation(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  oldKey: Key,
  rotationFile: RotationFile,
): Promise<FiledKey | undefined> {
  return withSlot(domain, rotationFile.path, { isNew: false }, (slot) =>
    resumeRotation(domain, actor, oldKey, rotationFile, slot),
  );
}

async function fileHolds(domain: Domain, actor: Actor, path: string, key: Key): Promise<boolean> {
  const placedKey = await withSlot(domain, path, { isNew: false }, ({ text }) =>
    findKeyOf(domain, actor, text),
  );
  return placedKey?.id === key.id;
}

/** The successors of keys that the same command has rotated before, if it is not done yet; else undefined. */
export async function rotatedEarlier(
  domain: Domain,
  actor: Actor,
  keys: readonly Key[],
  { pending, secretFile }: { pending?: StepOfKey; secretFile?: string },
): Promise<Key[] | undefined> {
  if (pending === undefined) return undefined;
  if (keys.some(({ rotatedTo }) => rotatedTo === null)) return undefined;

  const latestKeys = await latestOf(domain, actor, keys);
  const steps = await domain.store.pendingSteps.list();
  const areUnfinished = latestKeys.every((key) => {
    const isActive = statusOf(key, domain.clock()) === 'Active';
    return isActive && resumableSteps(steps, key, pending).length > 0;
  });
  if (!areUnfinished) return undefined;

  const [newestKey] = latestKeys;
  if (!newestKey || secretFile === undefined) return latestKeys;
  const isInFile = await fileHolds(domain, actor, secretFile, newestKey);
  return isInFile ? latestKeys : undefined;
}

/** Refuses an existing path before any question: `state_forbids` (exit 5). */
export async function requireFree(domain: Domain, path: string): Promise<void> {
  await withSlot(domain, path, { isNew: true }, async () => {});
}

async function withSlot<T>(
  domain: Domain,
  path: string,
  options: { isNew: boolean },
  useSlot: (slot: SecretSlot, lock: FileLock) => Promise<T>,
): Promise<T> {
  const lock = await takeFileLock(domain);
  try {
    const slot = SecretSlot.open(path, options);
    try {
      return await useSlot(slot, lock);
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
  oldKey: Key,
  { force, pending }: RotationFile,
  slot: SecretSlot,
): Promise<FiledKey | undefined> {
  const key = await findUnfinished(domain, actor, slot, { kind: 'rotate', oldKey, force });
  if (!key) return undefined;

  // The run that was cut off may have had another command, or none.
  if (pending !== undefined) {
    await domain.store.pendingSteps.put([key.id], pending);
  }
  if (key.rotatedFrom === null) {
    return finishPlacement(slot, { key, revoked: null });
  }

  const [revoked = null] = await findKeys(domain, actor, [key.rotatedFrom]);
  return finishPlacement(slot, { key, revoked });
}

function finishPlacement(
  slot: SecretSlot,
  { key, revoked }: Pick<FiledKey, 'key' | 'revoked'>,
): FiledKey {
  slot.requireReplaceable();
  slot.putInPlace();
  return { key, revoked, secret: undefined, discarded: undefined };
}

/** Makes every check that is possible before the commit, and builds the delivery into a file. */
async function prepareDelivery(
  domain: Domain,
  actor: Actor,
  slot: SecretSlot,
  lock: FileLock,
  task: FileTask,
) {
  const discardReason = await requireExpected(domain, actor, slot, task);
  slot.requireReplaceable();
  if (discardReason !== undefined) slot.removePending();

  let secret = '';
  const delivery: SecretDelivery = {
    deliver([delivered]) {
      if (!delivered) return;
      slot.write(delivered.secret);
      ({ secret } = delivered);
    },
    complete: () => putSecretInPlace(domain, actor, slot, lock, secret, task),
    withdraw: () => slot.withdraw(),
    keep() {
      const oldSecretText = task.kind === 'create' ? '' : `, the old one in ${slot.path}`;
      return `The new secret is in ${slot.pendingPath}${oldSecretText}. The same command, run later, puts it in place if it works, and removes it if not.`;
    },
  };

  const discarded =
    discardReason === undefined ? undefined : { path: slot.pendingPath, why: discardReason };
  const toFiledKey = ({ key, revoked }: Pick<FiledKey, 'key' | 'revoked'>): FiledKey => {
    return { key, revoked, secret, discarded };
  };
  return { delivery, toFiledKey };
}

async function putSecretInPlace(
  domain: Domain,
  actor: Actor,
  slot: SecretSlot,
  lock: FileLock,
  secret: string,
  { kind }: FileTask,
): Promise<void> {
  let retakenLock: FileLock | undefined;
  try {
    if (!(await lock.isHeld())) {
      retakenLock = await takeFileLock(domain);
    }
    if (!slot.holdsWritten()) {
      // While the lock was lost, another process has taken the file for a leftover.
      if (slot.currentText() === secret) return;
      if (!(await isActive(domain, actor, secret))) {
        return;
      }
      slot.write(secret);
    }
    slot.putInPlace();
  } catch (thrown) {
    const outcome = kind === 'create' ? 'The key was created' : 'The rotation is committed';
    const committedText = `${outcome}, but its secret is still in ${slot.pendingPath}: the same command, run again, puts it in place.`;
    throw afterChange(thrown, committedText);
  } finally {
    await retakenLock?.release();
  }
}

async function isActive(domain: Domain, actor: Actor, secret: string): Promise<boolean> {
  const key = await findKeyOf(domain, actor, secret);
  return key !== undefined && statusOf(key, domain.clock()) === 'Active';
}

/** How long to wait for another command to write its file. */
const waitLimitMs = 15_000;

/** Takes the lock under which files of secrets are written. `store_locked` (exit 6) if another command keeps it too long. */
async function takeFileLock({ store }: Pick<Domain, 'store'>): Promise<FileLock> {
  for (const deadlineMs = performance.now() + waitLimitMs; ; ) {
    const lock = await store.lockFiles();
    if (lock) return lock;
    if (performance.now() > deadlineMs) {
      throw new HkctlError(
        'store_locked',
        'Another command writes a secret of this store into a file.',
        { hint: 'Try again once it has ended; if it hangs, end it.' },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
