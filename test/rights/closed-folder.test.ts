import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closedFolder } from '../../src/rights/closed-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-closed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is no folder that this account may enter, and none that does not exist', () => {
  expect(closedFolder(folder)).toBeUndefined();
  expect(closedFolder(join(folder, 'none'))).toBeUndefined();
});

// Root may enter every folder; test/e2e/closed-store.test.ts tries it as another account.
it.skipIf(process.getuid?.() === 0)('is named with the login of its owner', () => {
  chmodSync(folder, 0o000);
  expect(closedFolder(folder)).toEqual({ folder, account: userInfo().username });
});
