import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { requirePermissions } from '../../../src/core/domain/actors.ts';
import { domainSeenBy } from '../../../src/core/domain/confinement.ts';
import type { Domain } from '../../../src/core/domain/domain.ts';
import {
  awaitDeliveries,
  createByCommand,
  rotateByCommand,
} from '../../../src/core/keys/deliveries.ts';
import type { SecretDelivery } from '../../../src/core/keys/issuance.ts';
import { listKeys } from '../../../src/core/keys/keys.ts';
import type { Key } from '../../../src/core/port/keys.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { hashOf } from '../../../src/core/secrets.ts';
import { HttpPlant } from '../../http/plant.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

/** What a remote machine holds. */
function remote(pause: () => Promise<void> = async () => {}) {
  const secrets: string[] = [];
  const delivery: SecretDelivery = {
    async deliver(delivered) {
      await pause();
      secrets.push(...delivered.map(({ secret }) => secret));
    },
    complete() {},
    withdraw() {},
  };
  return { secrets, delivery };
}

function withStore(change: Partial<Store>): Domain {
  return { ...plant.domain, store: { ...plant.domain.store, ...change } };
}

/** A process that is killed between its commit and the end of its work. */
function killedAfterCommit(): Domain {
  const { pendingSteps } = plant.domain.store;
  const die = () => Promise.reject(new Error('killed'));
  return withStore({
    pendingSteps: { ...pendingSteps, done: die, release: die },
  });
}

const stepOf = (command: string) => ({ place: command, step: 'deliver', command }) as const;

const inputOf = (name: string) =>
  ({ name, entity: plant.berlin, permissions: ['parts.view'], expiresAtMs: null }) as const;

async function create(name: string, delivery: SecretDelivery, domain = plant.domain) {
  const actor = await requirePermissions(domain, plant.actor, 'key.create', name);
  return createByCommand(domain, actor, inputOf(name), delivery, stepOf(name));
}

async function rotate(keys: readonly Key[], delivery: SecretDelivery, domain = plant.domain) {
  const actor = await requirePermissions(domain, plant.actor, 'key.rotate', 'x');
  return rotateByCommand(domain, actor, keys, delivery, stepOf('digest'));
}

const activeOf = async (name: string) =>
  listKeys(
    plant.domain,
    plant.actor,
    { nowMs: plant.nowMs, statuses: ['Active'], name },
    { limit: 10 },
  );
const isActive = async (secret: string | undefined) => {
  const credential = await plant.domain.store.keys.credential(hashOf(secret ?? ''));
  return credential !== undefined && credential.revokedAtMs === null;
};

it.each([
  ['A', (domain: Domain) => domain],
  ['C', (domain: Domain) => domainSeenBy(domain, { entityIds: [plant.berlin.id] })],
])(
  'a creation %s that was killed after its commit is completed by the same command, once, also for a user confined to a site',
  async (name, seen) => {
    const { secrets, delivery } = remote();
    const domain = seen(plant.domain);
    await expect(create(name, delivery, seen(killedAfterCommit()))).rejects.toThrow('killed');
    // Until then its lease has ended.
    plant.nowMs += 6_001;
    expect(await create(name, delivery, domain)).toMatchObject({ isEarlier: true });
    expect([secrets.length, (await activeOf(name)).length]).toEqual([1, 1]);
    expect(await create(name, delivery, domain)).toMatchObject({ isEarlier: false });
    expect([secrets.length, (await activeOf(name)).length]).toEqual([2, 2]);
  },
);

it('a creation that was killed before its commit is delivered again', async () => {
  const { secrets, delivery } = remote();
  const { keys, pendingSteps } = plant.domain.store;
  const die = () => Promise.reject(new Error('killed'));
  const killed = withStore({
    keys: { ...keys, insert: die },
    pendingSteps: { ...pendingSteps, release: die },
  });
  await expect(create('B', delivery, killed)).rejects.toThrow('killed');
  plant.nowMs += 6_001;
  expect(await create('B', delivery)).toMatchObject({ isEarlier: false });
  expect([secrets.length, await isActive(secrets[1])]).toEqual([2, true]);
  expect(await activeOf('B')).toHaveLength(1);
});

it('a rotation that was killed after its commit leaves what the same command is recognized by', async () => {
  const { secrets, delivery } = remote();
  const { key } = await create('C', delivery);
  await expect(rotate([key], delivery, killedAfterCommit())).rejects.toThrow('killed');
  plant.nowMs += 6_001;
  const [next] = await activeOf('C');
  const steps = await plant.domain.store.pendingSteps.list();
  expect(steps).toContainEqual({ keyId: next?.id, ...stepOf('digest') });
  expect(await isActive(secrets[1])).toBe(true);
});

it('a delivery waits for another one of the same key, and then finds the key as it is', async () => {
  const { secrets, delivery } = remote();
  const { key } = await create('D', delivery);
  let end: (() => void) | undefined;
  const slow = remote(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  const first = rotate([key], slow.delivery);
  await vi.waitUntil(() => end !== undefined);
  const second = rotate([key], delivery);
  const refused = expect(second).rejects.toMatchObject({ code: 'key_not_active' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  end?.();
  await first;
  await refused;
  expect([secrets.length, await isActive(slow.secrets[0])]).toEqual([1, true]);
});

it('a delivery whose lease ran out while its process stood still commits nothing after another one', async () => {
  const { secrets, delivery } = remote();
  const { key } = await create('E', delivery);
  const suspended = remote(async () => {
    plant.nowMs += 6_001;
    await rotate([key], delivery);
  });
  await expect(rotate([key], suspended.delivery)).rejects.toMatchObject({ code: 'key_not_active' });
  expect(await isActive(secrets.at(-1))).toBe(true);
});

it('a lease that was taken over stops the commit, although the key is still active', async () => {
  const { delivery } = remote();
  const { key } = await create('F', delivery);
  const overtaken = remote(async () => {
    plant.nowMs += 6_001;
    await plant.domain.store.pendingSteps.lease(
      [key.id],
      'another',
      plant.nowMs,
      plant.nowMs + 6_000,
    );
  });
  await expect(rotate([key], overtaken.delivery)).rejects.toMatchObject({ code: 'state_forbids' });
  expect(await activeOf('F')).toMatchObject([{ id: key.id }]);
});

it('a key that nobody delivers is given as it is by now', async () => {
  const { delivery } = remote();
  const { key } = await create('G', delivery);
  await rotate([key], delivery);
  const actor = await requirePermissions(plant.domain, plant.actor, 'key.rotate', 'x');
  const [now] = await awaitDeliveries(plant.domain, actor, [key]);
  expect(now?.rotatedTo).not.toBeNull();
});
