import { expect, it } from 'vitest';
import { draftOf, newKey, nowMs } from '../../stores.ts';
import type { Given } from '../given.ts';

/** Which commands are due after a rotation, and the lock of those that replace files of secrets. */
export function commandConformance(given: Given): void {
  it('remembers which command is due after a key, until it has succeeded', async () => {
    const { store } = await given();
    await store.commands.add(['a', 'b'], 'one');
    await store.commands.add(['a'], 'one');
    await store.commands.add(['ab'], 'two');
    expect(await store.commands.due(['b', 'a', 'ab'], 'one')).toEqual(['b', 'a']);
    expect(await store.commands.due(['a', 'ab'], 'two')).toEqual(['ab']);
    await store.commands.done(['a', 'ab'], 'one');
    expect(await store.commands.due(['a', 'b', 'ab'], 'one')).toEqual(['b']);
    expect(await store.commands.due(['ab'], 'two')).toEqual(['ab']);
  });

  it('adds the command of a rotation in its commit, and moves on what was due before', async () => {
    const { store, plant } = await given();
    const [first, second, third] = [newKey(plant, 1), newKey(plant, 2), newKey(plant, 3)];
    const draft = draftOf(plant.tenant.id, 'key.rotate', 'x');
    await store.keys.insert(first, draft);
    await store.commands.add([`${first.id}0`], 'of another key');
    await store.keys.rotate([{ oldKeyId: first.id, next: second }], nowMs, [draft], {
      command: 'one',
    });
    expect(await store.commands.due([first.id, second.id], 'one')).toEqual([second.id]);
    // It is refused, and changes nothing.
    await store.keys.rotate([{ oldKeyId: first.id, next: third }], nowMs, [draft], {
      command: 'two',
    });
    expect(await store.commands.due([third.id], 'two')).toEqual([]);
    await store.keys.rotate([{ oldKeyId: second.id, next: third }], nowMs, [draft], {
      command: 'one',
    });
    expect(await store.commands.due([second.id, third.id], 'one')).toEqual([third.id]);
    expect(await store.commands.due([`${first.id}0`], 'of another key')).toEqual([`${first.id}0`]);
  });

  it('adds the command of a new key in its commit', async () => {
    const { store, plant } = await given();
    const key = newKey(plant, 1);
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'x'), 'one');
    expect(await store.commands.due([key.id], 'one')).toEqual([key.id]);
  });

  it('leases keys to one holder at a time, all or none, until the lease ends', async () => {
    const { store } = await given();
    const take = (ids: string[], holder: string, atMs: number) =>
      store.leases.take(ids, holder, atMs, atMs + 100);
    expect(await take(['a', 'b'], 'first', 1000)).toBe(true);
    expect(await take(['c', 'b'], 'second', 1099)).toBe(false);
    expect(await take(['c', 'ab'], 'second', 1000)).toBe(true);
    // Renewed, and then released.
    expect(await take(['a', 'b'], 'first', 1090)).toBe(true);
    expect(await take(['b'], 'second', 1150)).toBe(false);
    await store.leases.release(['a', 'b'], 'second');
    expect(await take(['b'], 'second', 1150)).toBe(false);
    await store.leases.release(['b'], 'first');
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
    await store.leases.take([first.id, second.id], 'slow', 1000, 1100);
    await store.leases.take([second.id], 'other', 1100, 1200);
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
