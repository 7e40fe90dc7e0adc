import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { requirePermissions } from '../../../../src/core/domain/actors.ts';
import type { Domain } from '../../../../src/core/domain/domain.ts';
import {
  createIntoFile,
  finishRotation,
  rotateIntoFile,
} from '../../../../src/core/keys/secret-files/into-file.ts';
import type { Key, KeyStore } from '../../../../src/core/port/keys.ts';
import { hashOf } from '../../../../src/core/secrets.ts';
import { HttpPlant } from '../../../http/plant.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

let folder: string;
let path: string;
let pending: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-into-'));
  path = join(folder, 'gateway.key');
  pending = `${path}.new`;
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The same store, in which something else happens around a commit. */
function withKeys(change: Partial<KeyStore>): Domain {
  const { store } = plant.domain;
  return { ...plant.domain, store: { ...store, keys: { ...store.keys, ...change } } };
}

async function create(domain = plant.domain) {
  const actor = await requirePermissions(domain, plant.actor, 'key.create', 'Gateway');
  const input = {
    name: 'Gateway',
    entity: plant.berlin,
    permissions: ['parts.view'],
    expiresAtMs: null,
  } as const;
  return createIntoFile(domain, actor, input, path);
}

async function rotate(old: Key, domain = plant.domain) {
  const actor = await requirePermissions(domain, plant.actor, 'key.rotate', old.prefix);
  return rotateIntoFile(domain, actor, old, { path, force: false, pending: undefined });
}

const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const isActive = async (secret: string | undefined) => {
  const credential = await plant.domain.store.keys.credential(hashOf(secret?.trim() ?? ''));
  return credential !== undefined && credential.revokedAtMs === null;
};

it('a commit that fails leaves the old file alone, and none next to it', async () => {
  const { key } = await create();
  const before = contentOf(path);
  const failing = withKeys({
    rotate: () => {
      expect(contentOf(pending)).toMatch(/^hk_\w{49}\n$/);
      throw new Error('the disk is gone');
    },
  });
  await expect(rotate(key, failing)).rejects.toThrow('the disk is gone');
  expect([contentOf(path), contentOf(pending)]).toEqual([before, undefined]);
});

it('a commit that fails leaves the pending file of another process', async () => {
  const { key } = await create();
  const failing = withKeys({
    rotate: () => {
      renameSync(pending, join(folder, 'elsewhere'));
      writeFileSync(pending, 'of another');
      throw new Error('the disk is gone');
    },
  });
  await expect(rotate(key, failing)).rejects.toThrow('the disk is gone');
  expect([contentOf(pending), contentOf(join(folder, 'elsewhere'))]).toEqual(['of another', '']);
});

it('a new key whose file somebody else makes meanwhile keeps its secret next to it', async () => {
  const { insert } = plant.domain.store.keys;
  const raced = withKeys({
    insert: async (...args) => {
      await insert(...args);
      writeFileSync(path, 'mine');
    },
  });
  await expect(create(raced)).rejects.toThrow(
    `The key was created, but its secret is still in ${pending}`,
  );
  expect([contentOf(path), await isActive(contentOf(pending))]).toEqual(['mine', true]);
  rmSync(path);
  expect(await create()).toMatchObject({ secret: undefined, revoked: null });
  expect([await isActive(contentOf(path)), contentOf(pending)]).toEqual([true, undefined]);
});

it('a rotation whose pending file is gone writes PATH again', async () => {
  const { key } = await create();
  const { rotate: commit } = plant.domain.store.keys;
  const raced = withKeys({
    rotate: async (...args) => {
      renameSync(pending, join(folder, 'elsewhere'));
      return commit(...args);
    },
  });
  const filed = await rotate(key, raced);
  expect([contentOf(path), contentOf(pending)]).toEqual([`${filed.secret}\n`, undefined]);
  expect(await isActive(contentOf(path))).toBe(true);
});

it('a rotation whose key was rotated meanwhile does not put its secret over the newer one', async () => {
  const { key } = await create();
  const { rotate: commit, findByHash } = plant.domain.store.keys;
  let isCommitted = false;
  const raced = withKeys({
    rotate: async (...args) => {
      const stale = await commit(...args);
      isCommitted = true;
      rmSync(pending);
      writeFileSync(path, 'newer\n');
      return stale;
    },
    findByHash: async (...args) => {
      const found = await findByHash(...args);
      return found && isCommitted ? { ...found, revokedAtMs: 1 } : found;
    },
  });
  await rotate(key, raced);
  expect([contentOf(path), contentOf(pending)]).toEqual(['newer\n', undefined]);
});

it('a rotation that was cut off is finished once', async () => {
  const { key } = await create();
  const { secret } = await rotate(key);
  renameSync(path, pending);
  const actor = await requirePermissions(plant.domain, plant.actor, 'key.rotate', key.prefix);
  const file = { path, force: false, pending: undefined };
  const finished = await finishRotation(plant.domain, actor, key, file);
  expect(finished).toMatchObject({ revoked: { id: key.id }, secret: undefined });
  expect(contentOf(path)).toBe(`${secret}\n`);
  expect(await finishRotation(plant.domain, actor, key, file)).toBeUndefined();
});
