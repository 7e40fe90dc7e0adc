import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, findActor } from '../../../src/core/domain/actors.ts';
import { parseExpiry } from '../../../src/core/keys/expiry.ts';
import type {
  CreateKeyInput,
  DeliveredKey,
  SecretDelivery,
} from '../../../src/core/keys/issuance.ts';
import { showKey } from '../../../src/core/keys/keys.ts';
import { addUser } from '../../../src/core/organization/users.ts';
import { hashOf, isCompleteSecret } from '../../../src/core/secrets.ts';
import { HttpPlant } from '../../http/plant.ts';
import { createKey, revokeKeys, rotateKeys } from '../key-operations.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

/** Takes secrets and notes each step, and whether the key was there by then. */
class Recorder implements SecretDelivery {
  readonly steps: string[] = [];
  delivered: readonly DeliveredKey[] = [];
  failing = false;

  async deliver(delivered: readonly DeliveredKey[]) {
    this.delivered = delivered;
    this.steps.push(`deliver ${await this.kept()}`);
    if (this.failing) throw new Error('disk full');
  }
  async complete() {
    this.steps.push(`complete ${await this.kept()}`);
  }
  async withdraw() {
    this.steps.push(`withdraw ${await this.kept()}`);
  }
  private async kept() {
    const credential = await plant.domain.store.keys.credential(
      hashOf(this.delivered[0]?.secret ?? ''),
    );
    return credential ? 'kept' : 'not kept';
  }
}

const input = (change: Partial<CreateKeyInput> = {}): CreateKeyInput => ({
  name: 'Gateway',
  entity: plant.berlin,
  permissions: ['parts.view'],
  expiresAtMs: null,
  ...change,
});
const create = (
  change: Partial<CreateKeyInput> = {},
  delivery: SecretDelivery = new Recorder(),
  actor = plant.actor,
) => createKey(plant.domain, actor, input(change), delivery);
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (thrown) => thrown.code ?? thrown.message,
  );
const lastEvent = async () =>
  (await plant.domain.store.audit.list(plant.actor.user.tenantId, { limit: 1 }))[0];

async function actorOf(
  role: 'operator' | 'entity_admin' | 'master_data' | 'manager',
): Promise<Actor> {
  const login = `${role}-${crypto.randomUUID().slice(0, 8)}`;
  await addUser(plant.domain, plant.actor, { login, name: login, role });
  return findActor(plant.domain, login, 'somebody');
}

describe('who may', () => {
  it.each(['operator', 'manager', 'master_data'] as const)(
    'a %s neither make, rotate nor revoke keys',
    async (role) => {
      const actor = await actorOf(role);
      const { id } = await plant.key();
      const delivery = new Recorder();
      for (const [action, work] of [
        ['key.create', () => create({}, delivery, actor)],
        ['key.rotate', () => rotateKeys(plant.domain, actor, [id], delivery)],
        ['key.revoke', () => revokeKeys(plant.domain, actor, [id])],
        ['key.list', () => showKey(plant.domain, actor, id)],
      ] as const) {
        expect(await codeOf(work())).toBe('not_permitted');
        expect(await lastEvent()).toMatchObject({
          action,
          outcome: 'denied',
          actor: { login: actor.user.login },
        });
      }
      expect(delivery.steps).toEqual([]);
    },
  );

  it('an Entity admin all of it, and both permissions are needed to rotate', async () => {
    const actor = await actorOf('entity_admin');
    const key = await create({}, new Recorder(), actor);
    const [pair] = await rotateKeys(plant.domain, actor, [key.id], new Recorder());
    expect(await revokeKeys(plant.domain, actor, [pair?.key.id ?? ''])).toMatchObject([
      { revokedAtMs: plant.nowMs },
    ]);
    const denied = await actorOf('operator');
    await codeOf(rotateKeys(plant.domain, denied, [key.id], new Recorder()));
    expect((await lastEvent())?.detail).toEqual({ missing: 'api_keys.create api_keys.delete' });
  });
});

describe('a key is not made', () => {
  it.each([
    ['without a name', { name: ' ' }, 'bad_input'],
    ['without a permission', { permissions: [] }, 'bad_input'],
    ['with an expiry that is now', { expiresAtMs: Date.UTC(2026, 10, 20, 8, 15) }, 'bad_input'],
    ['with an expiry in the past', { expiresAtMs: 1 }, 'bad_input'],
    ['with an expiry a moment ahead', { expiresAtMs: Date.UTC(2026, 10, 20, 8, 15) + 1 }, 'done'],
  ])('%s', async (_name, change, expected) => {
    expect(plant.nowMs).toBe(Date.UTC(2026, 10, 20, 8, 15));
    expect(await codeOf(create(change))).toBe(expected);
  });

  it('for an inactive entity, seen before the secret is drawn or only inside the write', async () => {
    const site = await plant.site();
    await site.deactivate();
    const early = new Recorder();
    expect(await codeOf(create({ entity: { ...site.entity, status: 'inactive' } }, early))).toBe(
      'entity_inactive',
    );
    expect(early.steps).toEqual([]);
    const late = new Recorder();
    expect(await codeOf(create({ entity: site.entity }, late))).toBe('entity_inactive');
    expect(late.steps).toEqual(['deliver not kept', 'withdraw not kept']);
  });

  it('where its secret reaches nobody', async () => {
    const delivery = new Recorder();
    delivery.failing = true;
    expect(await codeOf(create({}, delivery))).toBe('disk full');
    expect(delivery.steps).toEqual(['deliver not kept', 'withdraw not kept']);
  });
});

describe('a key that is made', () => {
  it('is delivered, then kept, then completed, and recorded in the trail', async () => {
    const delivery = new Recorder();
    const key = await create(
      { permissions: ['parts.view', 'jobs_orders.view', 'parts.view'] },
      delivery,
    );
    expect(delivery.steps).toEqual(['deliver not kept', 'complete kept']);
    expect(key.permissions).toEqual(['jobs_orders.view', 'parts.view']);
    const [delivered] = delivery.delivered;
    expect(delivered).toMatchObject({ key, revoked: null });
    expect(isCompleteSecret(delivered?.secret ?? '')).toBe(true);
    expect(await showKey(plant.domain, plant.actor, key.prefix)).toEqual(key);
    expect(key.createdAtMs).toBe(plant.nowMs);
    expect(await lastEvent()).toMatchObject({
      action: 'key.create',
      target: key.prefix,
      outcome: 'done',
      detail: {
        name: 'Gateway',
        entity: 'BER',
        permissions: 'jobs_orders.view parts.view',
        expires_at: null,
      },
    });
  });

  it('has a prefix that no other has: a taken one is drawn again', async () => {
    const draws: Uint8Array[] = [];
    // The first draw of the second key is that of the first key.
    const random = (n: number) => {
      const bytes =
        draws.length === 1 && draws[0]
          ? draws[0]
          : crypto.getRandomValues(new Uint8Array(n)).map((byte) => byte % 248);
      draws.push(bytes);
      return bytes;
    };
    const domain = { ...plant.domain, random };
    const first = await createKey(domain, plant.actor, input(), new Recorder());
    const second = await createKey(domain, plant.actor, input(), new Recorder());
    expect(draws.length).toBe(3);
    expect(second.prefix).not.toBe(first.prefix);
  });
});

describe('a rotation', () => {
  it('keeps name, entity, permissions and expiry, and ends the old key in the same commit', async () => {
    const expiresAtMs = plant.nowMs + 1_000_000;
    const old = await create({
      name: 'Line 3',
      permissions: ['parts.view', 'assets.view'],
      expiresAtMs,
    });
    const delivery = new Recorder();
    const actor = await actorOf('entity_admin');
    const [pair] = await rotateKeys(plant.domain, actor, [old.prefix], delivery);
    expect(delivery.steps).toEqual(['deliver not kept', 'complete kept']);
    const { key, revoked } = pair ?? {};
    expect(key).toMatchObject({
      name: 'Line 3',
      entity: old.entity,
      permissions: old.permissions,
      expiresAtMs,
    });
    expect(key).toMatchObject({
      rotatedFrom: old.id,
      rotatedTo: null,
      createdBy: { login: actor.user.login },
    });
    expect(key?.prefix).not.toBe(old.prefix);
    expect(revoked).toEqual({
      ...old,
      revokedAtMs: plant.nowMs,
      revokedBy: { login: actor.user.login, name: actor.user.name },
      rotatedTo: key?.id,
    });
    expect(await showKey(plant.domain, actor, old.id)).toEqual(revoked);
    expect(await showKey(plant.domain, actor, key?.id ?? '')).toEqual(key);
    expect(await lastEvent()).toMatchObject({
      action: 'key.rotate',
      target: old.prefix,
      detail: { name: 'Line 3', successor: key?.prefix },
    });
  });

  it('of several is all or nothing', async () => {
    const [one, other] = [await create(), await create()];
    await plant.revoke(other.id);
    const delivery = new Recorder();
    expect(await codeOf(rotateKeys(plant.domain, plant.actor, [one.id, other.id], delivery))).toBe(
      'key_not_active',
    );
    expect(delivery.steps).toEqual([]);
    expect(await showKey(plant.domain, plant.actor, one.id)).toEqual(one);
  });

  it('whose secret reaches nobody leaves the old key as it was', async () => {
    const old = await create();
    const delivery = new Recorder();
    delivery.failing = true;
    expect(await codeOf(rotateKeys(plant.domain, plant.actor, [old.id], delivery))).toBe(
      'disk full',
    );
    expect(delivery.steps).toEqual(['deliver not kept', 'withdraw not kept']);
    expect(await showKey(plant.domain, plant.actor, old.id)).toEqual(old);
  });

  it('of a key whose entity was removed is refused with what to do', async () => {
    const site = await plant.site();
    const key = await create({ entity: site.entity });
    await site.remove();
    const refused = rotateKeys(plant.domain, plant.actor, [key.id], new Recorder());
    await expect(refused).rejects.toMatchObject({
      code: 'state_forbids',
      hint: expect.stringContaining('new key'),
    });
  });
});

describe('an expiry', () => {
  const nowMs = Date.UTC(2026, 10, 20, 8, 15);
  it.each([
    ['never', 'Europe/Berlin', null],
    ['90d', 'UTC', nowMs + 90 * 86_400_000],
    ['1s', 'UTC', nowMs + 1000],
    ['2027-01-31', 'UTC', Date.UTC(2027, 1, 1) - 1],
    ['2027-01-31', 'Europe/Berlin', Date.UTC(2027, 0, 31, 23) - 1],
    ['2027-01-31T12:00:00+01:00', 'UTC', Date.UTC(2027, 0, 31, 11)],
    ['9999-12-31', 'America/Chicago', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
  ])('%s in %s', (text, timezone, expected) => {
    expect(parseExpiry(text, nowMs, timezone)).toBe(expected);
  });

  it.each(['', 'soon', 'Never', '-1d', '90', '2027-02-30', '2027-01-31T12:00:00', '10000-01-01'])(
    'is not %j',
    (text) => {
      expect(() => parseExpiry(text, nowMs, 'UTC')).toThrow('is not an expiry');
    },
  );
});
