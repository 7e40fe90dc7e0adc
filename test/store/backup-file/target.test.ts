import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makePrivateFolder } from '../../../src/store/backup-file/target.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-target-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const nowMs = Date.now();

function leave(name: string, file: string, ageMs: number): string {
  const path = join(folder, name);
  const at = new Date(nowMs - ageMs);
  mkdirSync(path);
  writeFileSync(join(path, file), 'rows');
  utimesSync(join(path, file), at, at);
  utimesSync(path, at, at);
  return path;
}

it('a private folder of a killed process is removed with its backup after a day', () => {
  const backup = 'hkctl.hkctl-0123456789ab.new';
  const abandoned = leave('hkctl-backup-aaaaaa', backup, 2 * 86_400_000);
  const running = leave('hkctl-backup-bbbbbb', backup, 3_600_000);
  const ofSomethingElse = leave('hkctl-backup-cccccc', 'notes.txt', 2 * 86_400_000);
  const otherName = leave('backups', backup, 2 * 86_400_000);

  const made = makePrivateFolder(nowMs);
  expect(readdirSync(made)).toEqual([]);
  expect(existsSync(abandoned)).toBe(false);
  for (const kept of [running, ofSomethingElse, otherName]) {
    expect(readdirSync(kept)).toHaveLength(1);
  }
});
