import { expect, it } from 'vitest';
import { draftOf, newKey, nowMs } from '../../stores.ts';
import type { Given } from '../given.ts';

const exec = (command: string, place = '/key') => ({ place, step: 'exec', command }) as const;

/** The steps that rotations have yet to take, and the lock of those that replace files of secrets. */
export function commandConformance(given: Given): void {
  it('remembers the newest command for a key and a file until it has succeeded', async () => {
    const { store } = await given();
    const { list, put, done } = store.pendingSteps;
    await put(['a', 'b'], exec('one'));
    await put(['a'], exec('two'));
    await put(['a'], exec('three', '/other'));
    expect(await list()).toEqual([
      { keyId: 'a', ...exec('two') },
      { keyId: 'a', ...exec('three', '/other') },
      { keyId: 'b', ...exec('one') },
    ]);
    await done(['a'], '/key');
    expect((await list()).map(({ command }) => command)).toEqual(['three', 'one']);
  });

  it('notes the step of a rotation in its commit, and moves on what was due before', async () => {
    const { store, plant } = await given();
    const [first, second, third] = [newKey(plant, 1), newKey(plant, 2), newKey(plant, 3)];
    const draft = draftOf(plant.tenant.id, 'key.rotate', 'x');
    const rotate = (oldKeyId: string, next: typeof first, pending: ReturnType<typeof exec>) =>
      store.keys.rotate([{ oldKeyId, next }], nowMs, [draft], { pending });
    const stepsOf = async (id: string) =>
      (await store.pendingSteps.list()).filter(({ keyId }) => keyId === id);
    await store.keys.insert(first, draft);
    await store.pendingSteps.put([`${first.id}0`], exec('of another key'));
    await store.pendingSteps.put([first.id], { place: 'ssh', step: 'deliver', command: 'ssh' });
    await rotate(first.id, second, exec('one'));
    expect(await stepsOf(first.id)).toEqual([]);
    expect(await stepsOf(second.id)).toEqual([{ keyId: second.id, ...exec('one') }]);
    // It is refused, and changes nothing.
    await rotate(first.id, third, exec('two'));
    expect(await stepsOf(third.id)).toEqual([]);
    await rotate(second.id, third, exec('two', '/new'));
    expect(await stepsOf(third.id)).toEqual([
      { keyId: third.id, ...exec('one') },
      { keyId: third.id, ...exec('two', '/new') },
    ]);
    expect(await stepsOf(`${first.id}0`)).toHaveLength(1);
  });

  it('notes the step of a new key in its commit', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1);
    const pending = { place: 'ssh', step: 'deliver', command: 'ssh' } as const;
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'), pending);
    expect(await store.pendingSteps.list()).toContainEqual({ keyId: key.id, ...pending });
  });

  it('leases keys to one holder at a time, all or none, until the lease ends', async () => {
    const { store } = await given();
    const take = (ids: string[], holder: string, atMs: number) =>
      store.pendingSteps.lease(ids, holder, atMs, atMs + 100);
    expect(await take(['a', 'b'], 'first', 1000)).toBe(true);
    expect(await take(['c', 'b'], 'second', 1099)).toBe(false);
    expect(await take(['c', 'ab'], 'second', 1000)).toBe(true);
    // Renewed, and then released.
    expect(await take(['a', 'b'], 'first', 1090)).toBe(true);
    expect(await take(['b'], 'second', 1150)).toBe(false);
    await store.pendingSteps.release(['a', 'b'], 'second');
    expect(await take(['b'], 'second', 1150)).toBe(false);
    await store.pendingSteps.release(['b'], 'first');
    expect(await take(['b'], 'second', 1150)).toBe(true);
    // The lease on the other one ends by itself.
    expect(await take(['a'], 'second', 1190)).toBe(true);
    expect(await take(['a'], 'first', 1200)).toBe(false);
  });

  it('rotates nothing for a holder whose lease was taken over', async () => {
    const { store, plant } = await given();
    const [first, second, third] = [newKey(plant, 1), newKey(plant, 2), newKey(plant, 3)];
    const draft = draftOf(plant.tenant.id, 'key.rotate', 'x');
    for (const key of [first, second]) await store.keys.insert(key, draft);
    await store.pendingSteps.lease([first.id, second.id], 'slow', 1000, 1100);
    await store.pendingSteps.lease([second.id], 'other', 1100, 1200);
    const pairs = [{ oldKeyId: second.id, next: third }];
    const rotate = (lease: string) => store.keys.rotate(pairs, nowMs, [draft], { lease });
    const refused = expect.objectContaining({ code: 'state_forbids' });
    await expect((async () => rotate('slow'))()).rejects.toEqual(refused);
    expect((await store.keys.find(plant.tenant.id, second.id))?.revokedAtMs).toBeNull();
    expect(await rotate('other')).toEqual([]);
    expect((await store.keys.find(plant.tenant.id, second.id))?.rotatedTo).toBe(third.id);
  });

  it('gives the lock of rotations to one at a time', async () => {
    const { store } = await given();
    const lock = await store.lockFiles();
    expect(await lock?.isHeld()).toBe(true);
    expect(await store.lockFiles()).toBeUndefined();
    await lock?.release();
    const next = await store.lockFiles();
    expect(next).toBeDefined();
    await next?.release();
    await store.keys.awaitPending();
  });
}
