import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SecretDelivery } from '../../../src/core/keys/issuance.ts';
import { requireActive } from '../../../src/core/keys/keys.ts';
import { findKeys, requireKey } from '../../../src/core/keys/references.ts';
import { HttpPlant } from '../../http/plant.ts';
import { revokeKeys, rotateKeys } from '../key-operations.ts';

const nowhere: SecretDelivery = { deliver() {}, complete() {}, withdraw() {} };
let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

/** The error that a promise ends with. */
async function errorOf(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; hint?: string }> {
  return promise.then(
    () => expect.fail('nothing was refused'),
    (thrown) => thrown,
  );
}

describe('two that end one key at the same time', () => {
  const outcomes = async (work: () => Promise<unknown>) => {
    const settled = await Promise.allSettled([work(), work()]);
    return settled.map((one) => (one.status === 'rejected' ? one.reason : undefined));
  };

  it('by revoking: the second learns what to do, and of no secret', async () => {
    const { id, prefix } = await plant.key();
    const [first, second] = await outcomes(() => revokeKeys(plant.domain, plant.actor, [id]));
    expect(first).toBeUndefined();
    expect(second).toMatchObject({
      code: 'key_not_active',
      message: `Meanwhile another process ended Test key (${prefix}); nothing was changed.`,
      hint: 'A key that is not active needs no revoking; name only the others.',
    });
  });

  it('by rotating: the second learns that its secret opens nothing', async () => {
    const { id } = await plant.key();
    const withdrawn: string[] = [];
    const delivery = (name: string): SecretDelivery => ({
      deliver() {},
      complete() {},
      withdraw: () => void withdrawn.push(name),
    });
    const names = ['first', 'second'];
    const work = () => rotateKeys(plant.domain, plant.actor, [id], delivery(names.shift() ?? ''));
    const [first, second] = await outcomes(work);
    expect(first).toBeUndefined();
    expect(second).toMatchObject({
      code: 'key_not_active',
      hint: expect.stringContaining('secret'),
    });
    expect(withdrawn).toEqual(['second']);
  });
});

describe('several keys of which some do not fit', () => {
  const require = async (refs: string[]) => {
    const keys = await findKeys(plant.domain, plant.actor, refs);
    await requireActive(plant.domain, plant.actor, keys, 'revoked');
    return keys;
  };

  it('are refused with all that there are not', async () => {
    const { prefix } = await plant.key();
    expect(await errorOf(require(['hk_none0', prefix, 'hk_none1']))).toMatchObject({
      code: 'not_found',
      message: 'API key not found: hk_none0, hk_none1',
    });
    expect(await errorOf(require(['hk_none0']))).toMatchObject({
      code: 'not_found',
      message: 'API key not found',
    });
  });

  it('are refused with all that are not active', async () => {
    const [revoked, active] = [await plant.key(), await plant.key()];
    const expired = await plant.key({ expiresAtMs: plant.nowMs + 1 });
    await plant.revoke(revoked.id);
    plant.nowMs += 1;
    expect(await errorOf(require([revoked.id, active.id, expired.prefix]))).toMatchObject({
      code: 'key_not_active',
      message:
        `Of the keys, Test key (${revoked.prefix}) is Revoked, Test key (${expired.prefix}) is Expired; ` +
        'only active keys can be revoked.',
    });
    expect(await errorOf(require([expired.id]))).toMatchObject({
      message: `The key Test key (${expired.prefix}) is Expired; only active keys can be revoked.`,
    });
  });

  it('are refused without control characters in the sentence', async () => {
    const { message } = await errorOf(require(['hk_none0', `\u001b[2J`]));
    expect(message).toBe('API key not found: hk_none0, \\u001b[2J');
  });

  it("are refused with a word about the shell's history where one is a whole secret", async () => {
    const { secret, prefix } = await plant.key();
    const refusal = {
      code: 'bad_input',
      message: "A secret was given as REF; it is now in the shell's history.",
    };
    expect(await errorOf(require([prefix, secret]))).toMatchObject(refusal);
    expect(await errorOf(requireKey(plant.domain, plant.actor, secret))).toMatchObject(refusal);
    const cut = await errorOf(require([secret.slice(0, 40)]));
    expect(cut.message).toBe(refusal.message);
    expect(`${cut.message} ${cut.hint}`).not.toContain(secret.slice(8, 20));
  });

  it('are refused with the last successor of a rotated one', async () => {
    const first = await plant.key();
    const [second] = await rotateKeys(plant.domain, plant.actor, [first.id], nowhere);
    const [third] = await rotateKeys(plant.domain, plant.actor, [second?.key.id ?? ''], nowhere);
    const prefix = third?.key.prefix;
    const refusal = await errorOf(require([first.id]));
    expect(refusal).toMatchObject({
      code: 'key_not_active',
      message: `The key Test key (${first.prefix}) is Revoked, rotated to ${prefix}; only active keys can be revoked.`,
      hint: `Name the successor: hkctl keys revoke ${prefix}`,
    });
    await plant.revoke(third?.key.id ?? '');
    const { message, hint } = await errorOf(require([first.id]));
    expect([message, hint]).toEqual([
      expect.stringContaining(`rotated to ${prefix} (Revoked);`),
      undefined,
    ]);
  });

  it('are found by a name that only one active key has', async () => {
    const first = await plant.key({ name: 'Oven' });
    await rotateKeys(plant.domain, plant.actor, ['Oven'], nowhere);
    const [found] = await require(['Oven']);
    expect(found).toMatchObject({ name: 'Oven', rotatedFrom: first.id });
    expect(await errorOf(require(['oven']))).toMatchObject({ code: 'not_found' });
    const { prefix } = await plant.key({ name: 'Oven' });
    const refusal = await errorOf(require(['Oven']));
    expect(refusal).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Several active keys'),
    });
    expect(refusal.message).toContain(prefix);
    expect(refusal.message).toContain(found?.prefix);
    await plant.revoke(prefix);
    expect((await require(['Oven'])).map(({ id }) => id)).toEqual([found?.id]);
    // A prefix is always that of its key.
    await plant.key({ name: first.prefix });
    expect((await findKeys(plant.domain, plant.actor, [first.prefix])).map(({ id }) => id)).toEqual(
      [first.id],
    );
  });

  it('are one where they are named twice', async () => {
    const { id, prefix } = await plant.key();
    expect((await require([id, prefix])).map((key) => key.id)).toEqual([id]);
  });
});
