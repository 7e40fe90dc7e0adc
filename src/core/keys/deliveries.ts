import { type Permitted, requireUnchanged } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { afterChange, errorTable, HkctlError, isHkctlError } from '../errors.ts';
import type { Key } from '../port/keys.ts';
import { isCreationOf } from './creations.ts';
import {
  type CreateKeyInput,
  createKey,
  type RotatedKey,
  rotateKeys,
  type SecretDelivery,
} from './issuance.ts';
import { findKeys } from './references.ts';

/**
 * Keys whose secrets a command delivers, such as to another machine. It may take minutes, and no lock is held meanwhile: a lease
 * keeps a second delivery of the same key from overtaking the first, so that the last secret that arrives is the one that works.
 * The digest of the command is committed with the key and removed once all is done: by it the next run of the same command knows
 * that its key is committed, and does not make another.
 */

const leaseMs = 6_000;
const renewEveryMs = 2_000;
const waitLimitMs = 15_000;
const pollMs = 200;

/** Rotates keys after a command has taken their new secrets; `isComplete`: nothing else is due after the commit. */
export async function rotateByCommand(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  delivery: SecretDelivery,
  { digest, isComplete }: { digest: string; isComplete: boolean },
): Promise<RotatedKey[]> {
  const ids = keys.map(({ id }) => id);
  return withLeases(domain, ids, namesOf(keys), async (holder) => {
    // While it waited for a lease, another process may have ended a key.
    const current = await findKeys(domain, actor, ids);
    const leased = withRenewal(domain, actor, ids, holder, delivery);
    const options = { command: digest, lease: holder };
    const rotated = await rotateKeys(domain, actor, current, leased, options);
    const successors = rotated.map(({ key }) => key);
    if (isComplete) await complete(domain, successors, digest, 'The rotation is committed');
    return rotated;
  });
}

/** Creates a key after a command has taken its secret, unless an earlier run of the same command has made it (`isEarlier`). */
export async function createByCommand(
  domain: Domain,
  actor: Permitted<'key.create'>,
  input: CreateKeyInput,
  delivery: SecretDelivery,
  digest: string,
): Promise<{ key: Key; isEarlier: boolean }> {
  // The key has no id yet: the lease is on the command.
  const ids = [digest];
  return withLeases(domain, ids, input.name, async (holder) => {
    await domain.store.keys.awaitPending();
    const earlier = await createdEarlier(domain, actor, input, digest);
    const leased = withRenewal(domain, actor, ids, holder, delivery);
    const key = earlier ?? (await createKey(domain, actor, input, leased, digest));
    await complete(domain, [key], digest, 'The key is committed');
    return { key, isEarlier: earlier !== undefined };
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
  const ids = keys.map(({ id }) => id);
  return withLeases(domain, ids, namesOf(keys), async () => {
    await domain.store.keys.awaitPending();
    return findKeys(domain, actor, ids);
  });
}

async function withLeases<T>(
  domain: Domain,
  ids: readonly string[],
  names: string,
  work: (holder: string) => Promise<T>,
): Promise<T> {
  const holder = domain.newId();
  await takeLeases(domain, ids, holder, names);
  try {
    return await work(holder);
  } finally {
    await releaseLeases(domain, ids, holder);
  }
}

async function releaseLeases(
  { store }: Domain,
  ids: readonly string[],
  holder: string,
): Promise<void> {
  try {
    await store.leases.release(ids, holder);
  } catch (thrown) {
    // Of a store that cannot be reached they end by themselves.
    if (!isHkctlError(thrown) || errorTable[thrown.code].exit !== 6) throw thrown;
  }
}

async function takeLeases(
  domain: Domain,
  ids: readonly string[],
  holder: string,
  names: string,
): Promise<void> {
  for (const deadlineMs = performance.now() + waitLimitMs; ; ) {
    if (await take(domain, ids, holder)) return;
    if (performance.now() > deadlineMs) {
      throw new HkctlError('state_forbids', `Another command is delivering a secret of ${names}.`, {
        hint: 'Try again once it has ended.',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

async function take({ store, clock }: Domain, ids: readonly string[], holder: string) {
  const nowMs = clock();
  return store.leases.take(ids, holder, nowMs, nowMs + leaseMs);
}

/** Renews the leases while the delivery takes its time, after which the actor must still be the one that it was. */
function withRenewal(
  domain: Domain,
  actor: Permitted<'key.rotate'> | Permitted<'key.create'>,
  ids: readonly string[],
  holder: string,
  delivery: SecretDelivery,
): SecretDelivery {
  return {
    ...delivery,
    async deliver(delivered) {
      let renewal: Promise<unknown> = Promise.resolve();
      const timer = setInterval(() => {
        // A renewal that fails is noticed by the commit, which requires the leases.
        renewal = renewal.then(() => take(domain, ids, holder)).catch(() => undefined);
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
  digest: string,
): Promise<Key | undefined> {
  const nowMs = domain.clock();
  const filter = {
    nowMs,
    statuses: ['Active'],
    name: input.name,
    entityId: input.entity.id,
  } as const;
  const keys = await domain.store.keys.list(user.tenantId, filter, { limit: 100 });
  const alike = keys.filter((key) => isCreationOf(input, key, nowMs));
  const [id] = await domain.store.commands.due(
    alike.map((key) => key.id),
    digest,
  );
  return alike.find((key) => key.id === id);
}

async function complete(
  { store }: Domain,
  keys: readonly Key[],
  digest: string,
  committed: string,
): Promise<void> {
  try {
    await store.commands.done(
      keys.map(({ id }) => id),
      digest,
    );
  } catch (thrown) {
    const sentence = `${committed}, and its secret was delivered; the same command, run again, completes it.`;
    throw afterChange(thrown, sentence);
  }
}

function namesOf(keys: readonly Key[]): string {
  return keys.map(({ name, prefix }) => `${name} (${prefix})`).join(', ');
}
