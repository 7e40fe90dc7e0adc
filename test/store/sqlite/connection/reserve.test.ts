import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { HkctlError } from '../../../../src/core/errors.ts';
import { filesOf } from '../../../../src/store/sqlite/connection/files.ts';
import { Reserve, reserveBytes } from '../../../../src/store/sqlite/connection/reserve.ts';
import { draftOf, fileStore, newKey, nowMs, plantIn } from '../../stores.ts';
import { another } from '../another.ts';

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-reserve-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, 'hkctl.reserve');
});

const sizeOf = () => statSync(file).size;
/** Work that meets a full disk so many times. */
const failing = (times: number) => () => {
  if (times-- > 0) throw new HkctlError('store_full', 'full');
  return 'done';
};

describe('the reserve', () => {
  it('is made, for its owner only, by whatever changes the store first', () => {
    new Reserve(file, 'store').requireWhole();
    expect([sizeOf(), statSync(file).mode & 0o777]).toEqual([reserveBytes, 0o600]);
  });

  it('is freed piece by piece for a stop, and what is left taken back at the end', () => {
    const reserve = new Reserve(file, 'store');
    reserve.requireWhole();
    expect(reserve.withRoom(failing(0))).toBe('done');
    expect([sizeOf(), reserve.hasFreed]).toEqual([reserveBytes, false]);
    expect(reserve.withRoom(failing(1))).toBe('done');
    expect([sizeOf(), reserve.hasFreed]).toEqual([(reserveBytes / 4) * 3, true]);
    expect(reserve.withRoom(failing(4))).toBe('done');
    expect(sizeOf()).toBe(0);
    expect(() => reserve.withRoom(failing(1))).toThrow('full');
    reserve.takeBack();
    expect([sizeOf(), reserve.hasFreed]).toEqual([reserveBytes, false]);
  });

  it('frees nothing for another error', () => {
    const reserve = new Reserve(file, 'store');
    reserve.requireWhole();
    const locked = new HkctlError('store_locked', 'locked');
    expect(() =>
      reserve.withRoom(() => {
        throw locked;
      }),
    ).toThrow(locked);
    expect(sizeOf()).toBe(reserveBytes);
  });

  it('is noticed by every process when it is in use: each makes it whole before it writes, if there is room', async () => {
    const { store, path, remove } = await fileStore();
    onTestFinished(remove);
    const plant = await plantIn(store);
    const key = newKey(plant, 1);
    await store.keys.insert(key, draftOf(plant.tenant.id, 'key.create', 'one'));
    const { reserve } = filesOf(path);
    truncateSync(reserve, 100);
    await another(path).keys.revoke([key.id], plant.user.id, nowMs, [
      draftOf(plant.tenant.id, 'key.revoke', 'one'),
    ]);
    expect(statSync(reserve).size).toBe(100);
    await another(path).keys.insert(
      newKey(plant, 2),
      draftOf(plant.tenant.id, 'key.create', 'two'),
    );
    expect(statSync(reserve).size).toBeGreaterThanOrEqual(reserveBytes);
  });
});
