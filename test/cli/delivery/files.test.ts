import { chownSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNewFileDelivery, createReplacingFileDelivery } from '../../../src/cli/delivery/files.ts';
import type { DeliveredKey } from '../../../src/core/keys/issuance.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-files-'));
  path = join(folder, 'gateway.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const delivered = (secret: string) => [{ secret } as DeliveredKey]; // only its secret is read
const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

it('a new file that is withdrawn is removed, and one that was there before is not', async () => {
  const delivery = createNewFileDelivery(path);
  await delivery.deliver(delivered('one'));
  expect(contentOf(path)).toBe('one\n');
  await delivery.withdraw();
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, 'mine');
  const refused = createNewFileDelivery(path);
  expect(() => refused.deliver(delivered('two'))).toThrow(expect.objectContaining({ code: 'state_forbids' }));
  await refused.withdraw();
  expect(contentOf(path)).toBe('mine');
});

it('a rotation that is withdrawn leaves the pending file of another one', async () => {
  writeFileSync(path, 'old\n');
  const [first, second] = [createReplacingFileDelivery(path), createReplacingFileDelivery(path)];
  await first.deliver(delivered('first'));
  // Another run has taken it for a leftover, and begun again.
  renameSync(`${path}.new`, join(folder, 'elsewhere'));
  await second.deliver(delivered('second'));
  await first.withdraw();
  expect(contentOf(`${path}.new`)).toBe('second\n');
  await second.withdraw();
  expect([contentOf(path), contentOf(`${path}.new`)]).toEqual(['old\n', undefined]);
});

it('a rotation whose pending file another run has renamed writes PATH again', async () => {
  writeFileSync(path, 'old\n');
  const delivery = createReplacingFileDelivery(path);
  await delivery.deliver(delivered('new'));
  renameSync(`${path}.new`, join(folder, 'elsewhere'));
  await delivery.complete();
  expect(contentOf(path)).toBe('new\n');
});

it.runIf(process.getuid?.() === 0)('a rotated file keeps its owner', async () => {
  writeFileSync(path, 'old\n');
  chownSync(path, 65534, 65534);
  const delivery = createReplacingFileDelivery(path);
  await delivery.deliver(delivered('new'));
  await delivery.complete();
  expect([statSync(path).uid, statSync(path).mode & 0o777]).toEqual([65534, 0o600]);
});
