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
    await store.keys.rotate([{ oldKeyId: first.id, next: second }], nowMs, [draft], 'one');
    expect(await store.commands.due([first.id, second.id], 'one')).toEqual([second.id]);
    // It is refused, and changes nothing.
    await store.keys.rotate([{ oldKeyId: first.id, next: third }], nowMs, [draft], 'two');
    expect(await store.commands.due([third.id], 'two')).toEqual([]);
    await store.keys.rotate([{ oldKeyId: second.id, next: third }], nowMs, [draft], 'one');
    expect(await store.commands.due([second.id, third.id], 'one')).toEqual([third.id]);
    expect(await store.commands.due([`${first.id}0`], 'of another key')).toEqual([`${first.id}0`]);
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
    await store.keys.settle();
  });
}
