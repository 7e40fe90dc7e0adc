import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNewFilesDelivery } from '../../../src/cli/delivery/files.ts';
import type { DeliveredKey } from '../../../src/core/keys/issuance.ts';
import { drawSecret } from '../../../src/core/secrets.ts';
import { replacedFile } from './replaced-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-files-'));
  path = join(folder, 'gateway.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const delivered = (secret: string) => [{ secret } as DeliveredKey]; // only its secret is read
const newFile = () => createNewFilesDelivery(() => path);
/** A rotation that finds its key active or not once it has the lock again. */
const replacing = (isActive = true) => replacedFile({ path }, isActive);
const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

it('a new file that is withdrawn is removed, and one that was there before is not', async () => {
  const delivery = newFile();
  await delivery.deliver(delivered('one'));
  expect(contentOf(path)).toBe('one\n');
  await delivery.withdraw();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, 'mine');
  const refused = newFile();
  expect(() => refused.deliver(delivered('two'))).toThrow(
    expect.objectContaining({ code: 'state_forbids' }),
  );
  await refused.withdraw();
  expect(contentOf(path)).toBe('mine');
});

it('a rotation that is withdrawn leaves the pending file of another one', async () => {
  writeFileSync(path, 'old\n');
  const [first, second] = [replacing(), replacing()];
  await first.deliver(delivered('first'));
  // Another run has taken it for a leftover, and begun again.
  renameSync(`${path}.new`, join(folder, 'elsewhere'));
  await second.deliver(delivered('second'));
  await first.withdraw();
  expect(contentOf(`${path}.new`)).toBe('second\n');
  await second.withdraw();
  expect([contentOf(path), contentOf(`${path}.new`)]).toEqual(['old\n', undefined]);
});

it('a new key whose file somebody else has made meanwhile keeps its secret beside it', async () => {
  const delivery = replacedFile({ path, isNew: true });
  await delivery.deliver(delivered('new'));
  writeFileSync(path, 'mine');
  const refusal = `The key was created, but its secret is still in ${path}.new`;
  await expect(delivery.complete()).rejects.toThrow(refusal);
  expect([contentOf(path), contentOf(`${path}.new`)]).toEqual(['mine', 'new\n']);
  rmSync(path);
  await delivery.complete();
  expect([contentOf(path), contentOf(`${path}.new`)]).toEqual(['new\n', undefined]);
});

it('a rotation whose pending file is gone writes PATH again, unless its key was rotated meanwhile', async () => {
  const [next, older] = [drawSecret(), drawSecret()];
  writeFileSync(path, 'old\n');
  const delivery = replacing();
  await delivery.deliver(delivered(next));
  renameSync(`${path}.new`, join(folder, 'elsewhere'));
  await delivery.complete();
  expect(contentOf(path)).toBe(`${next}\n`);
  const late = replacing(false);
  await late.deliver(delivered(older));
  renameSync(`${path}.new`, join(folder, 'elsewhere'));
  await late.complete();
  expect([contentOf(path), existsSync(`${path}.new`)]).toEqual([`${next}\n`, false]);
});
