import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { DeliveredKey } from '../../../src/core/keys/issuance.ts';
import { replacedFile } from '../../cli/delivery/replaced-file.ts';
import { needRoot } from '../machine/needs.ts';

needRoot();

it('a file whose secret root rotates keeps its owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-owner-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'gateway.key');
  writeFileSync(path, 'old\n');
  chownSync(path, 65_534, 65_534);
  const delivery = replacedFile({ path });
  await delivery.deliver([{ secret: 'new' } as DeliveredKey]); // only its secret is read
  await delivery.complete();
  expect([statSync(path).uid, statSync(path).mode & 0o777]).toEqual([65_534, 0o600]);
});
