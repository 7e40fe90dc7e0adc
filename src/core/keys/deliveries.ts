import { sha256 } from '../digest.ts';
import { type Permitted, requireUnchanged } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { afterChange, errorTable, HkctlError, isHkctlError } from '../errors.ts';
import type { Key } from '../port/keys.ts';
import type { StepOfKey } from '../port/pending-steps.ts';
import {
  type CreateKeyInput,
  createKey,
  isCreationOf,
  type RotatedKey,
  rotateKeys,
  type SecretDelivery,
} from './issuance.ts';
import { resumableSteps } from './pending-steps.ts';
import { findKeys } from './references.ts';

/**
 * Keys whose secrets a command delivers, such as to another machine. The command may take minutes without a lock. A lease keeps
 * a second delivery of the same key from overtaking the first. A pending step is committed with the key and removed at the end.
 * The next run of the same command then knows that its key is committed, and creates no second one.
 */

const leaseMs = 6_000;
const renewEveryMs = 2_000;
const waitLimitMs = 15_000;
const pollMs = 200;

/** Rotates keys after a command has taken their new secrets; `pending` is committed with them. */
export async function rotateByCommand(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  delivery: SecretDelivery,
  pending: StepOfKey,
): Promise<RotatedKey[]> {
  const keyIds = keys.map(({ id }) => id);
  return withLeases(domain, keyIds, namesOf(keys), async (holder) => {
    // While it waited for a lease, another process may have ended a key.
    const currentKeys = await findKeys(domain, actor, keyIds);
    const leasedDelivery = withRenewal(domain, actor, keyIds, holder, delivery);
    const options = { pending, lease: holder };
    const rotated = await rotateKeys(domain, actor, currentKeys, leasedDelivery, options);
    const successors = rotated.map(({ key }) => key);
    // A command of `--exec` is still due.
    if (pending.step === 'deliver')
      await completeSteps(domain, successors, pending, 'The rotation is committed');
    return rotated;
  });
}

/** Creates a key after a command has taken its secret, unless an earlier run of the same command has made it (`isEarlier`). */
export async function createByCommand(
  domain: Domain,
  actor: Permitted<'key.create'>,
  input: CreateKeyInput,
  delivery: SecretDelivery,
  pending: StepOfKey,
): Promise<{ key: Key; isEarlier: boolean }> {
  // The key has no id yet: the lease is on the command.
  const leaseIds = [sha256(JSON.stringify([input.name, input.entity.id, pending]), 'base64url')];
  return withLeases(domain, leaseIds, input.name, async (holder) => {
    await domain.store.keys.awaitPending();
    const earlierKey = await createdEarlier(domain, actor, input, pending);
    const leasedDelivery = withRenewal(domain, actor, leaseIds, holder, delivery);
    const key = earlierKey ?? (await createKey(domain, actor, input, leasedDelivery, pending));
    await completeSteps(domain, [key], pending, 'The key is committed');
    return { key, isEarlier: earlierKey !== undefined };
  });
}

/**
 * Waits until no other command delivers a secret of these keys and no commit of a killed one is in progress; returns the keys as
 * they are then.
 */
export async function awaitDeliveries(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
): Promise<Key[]> {
  const keyIds = keys.map(({ id }) => id);
  return withLeases(domain, keyIds, namesOf(keys), async () => {
    await domain.store.keys.awaitPending();
    return findKeys(domain, actor, keyIds);
  });
}

async function withLeases<T>(
  domain: Domain,
  leaseIds: readonly string[],
  keyNames: string,
  deliver: (holder: string) => Promise<T>,
): Promise<T> {
  const holder = domain.newId();
  await takeLeases(domain, leaseIds, holder, keyNames);
  try {
    return await deliver(holder);
  } finally {
    await releaseLeases(domain, leaseIds, holder);
  }
}

async function releaseLeases(
  { store }: Domain,
  leaseIds: readonly string[],
  holder: string,
): Promise<void> {
  try {
    await store.pendingSteps.release(leaseIds, holder);
  } catch (thrown) {
    // Leases of a store that cannot be reached end by themselves.
    const isStoreError = isHkctlError(thrown) && errorTable[thrown.code].exit === 6;
    if (!isStoreError) throw thrown;
  }
}

async function takeLeases(
  domain: Domain,
  leaseIds: readonly string[],
  holder: string,
  keyNames: string,
): Promise<void> {
  for (const deadlineMs = performance.now() + waitLimitMs; ; ) {
    if (await tryTakeLeases(domain, leaseIds, holder)) return;
    if (performance.now() > deadlineMs) {
      throw new HkctlError(
        'state_forbids',
        `Another command is delivering a secret of ${keyNames}.`,
        {
          hint: 'Try again once it has ended.',
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

async function tryTakeLeases(
  { store, clock }: Domain,
  leaseIds: readonly string[],
  holder: string,
) {
  const nowMs = clock();
  return store.pendingSteps.lease(leaseIds, holder, nowMs, nowMs + leaseMs);
}

/** Renews the leases during the delivery, and then requires that the actor's role has not changed. */
function withRenewal(
  domain: Domain,
  actor: Permitted<'key.rotate'> | Permitted<'key.create'>,
  leaseIds: readonly string[],
  holder: string,
  delivery: SecretDelivery,
): SecretDelivery {
  return {
    ...delivery,
    async deliver(delivered) {
      let renewal: Promise<unknown> = Promise.resolve();
      const timer = setInterval(() => {
        // A renewal that fails is noticed by the commit, which requires the leases.
        renewal = renewal
          .then(() => tryTakeLeases(domain, leaseIds, holder))
          .catch(() => undefined);
      }, renewEveryMs);
      try {
        await delivery.deliver(delivered);
      } finally {
        clearInterval(timer);
        await renewal;
      }
      await requireUnchanged(domain, actor);
    },
  };
}

async function createdEarlier(
  domain: Domain,
  { user }: Permitted<'key.create'>,
  input: CreateKeyInput,
  pending: StepOfKey,
): Promise<Key | undefined> {
  const nowMs = domain.clock();
  const namesakeFilter = {
    nowMs,
    statuses: ['Active'],
    name: input.name,
    entityId: input.entity.id,
  } as const;
  const activeKeys = await domain.store.keys.list(user.tenantId, namesakeFilter, { limit: 100 });

  const sameCreations = activeKeys.filter((key) => isCreationOf(input, key, nowMs));
  const steps = await domain.store.pendingSteps.list();
  return sameCreations.find((key) => resumableSteps(steps, key, pending).length > 0);
}

async function completeSteps(
  { store }: Domain,
  keys: readonly Key[],
  { place }: StepOfKey,
  committedText: string,
): Promise<void> {
  const keyIds = keys.map(({ id }) => id);
  try {
    await store.pendingSteps.done(keyIds, place);
  } catch (thrown) {
    const sentence = `${committedText}, and its secret was delivered; the same command, run again, completes it.`;
    throw afterChange(thrown, sentence);
  }
}

function namesOf(keys: readonly Key[]): string {
  return keys.map(({ name, prefix }) => `${name} (${prefix})`).join(', ');
}
