import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderOfAnother } from '../../src/rights/rights.ts';
import { loginOf } from '../../src/rights/sudo.ts';
import { root } from '../e2e/program.ts';
import { runProgram } from '../run-program.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-closed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is no folder that this account may enter, and none that does not exist', () => {
  expect(folderOfAnother(folder)).toBeUndefined();
  expect(folderOfAnother(join(folder, 'none'))).toBeUndefined();
});

it('is named with the login of its owner', async () => {
  // Root may enter every folder, so that another account asks then.
  const file = join(folder, 'asks.cjs');
  await build({
    input: join(root, 'src', 'rights', 'rights.ts'),
    platform: 'node',
    output: { file, format: 'cjs' },
    logLevel: 'silent',
  });
  const closed = join(folder, 'closed');
  mkdirSync(closed);
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(closed, nobody, nobody);
  chmodSync(closed, 0o000);
  const script =
    'const { folderOfAnother } = require(process.argv[1]); console.log(JSON.stringify(folderOfAnother(process.argv[2])))';
  const account = isRoot ? { uid: nobody, gid: nobody } : {};
  const { stdout, stderr } = runProgram(process.execPath, ['-e', script, file, closed], {
    ...account,
  });
  rmdirSync(closed);
  const owner = isRoot ? loginOf(nobody) : userInfo().username;
  expect(JSON.parse(stdout), stderr).toEqual({ folder: closed, account: owner });
});
