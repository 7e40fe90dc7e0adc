import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackupFacts } from '../../../../src/core/operations/backups.ts';
import { createPending } from '../../../../src/store/backup-file/backup-target.ts';
import { backupForAdmin } from '../../../../src/store/sqlite/backup/transfer.ts';

let folder: string;
let target: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-transfer-'));
  target = join(folder, 'plant.backup');
});
afterEach(() => rmSync(folder, { recursive: true }));

const facts: BackupFacts = { createdAtMs: 1, keys: 0, auditRecords: 0, damagedAuditRecords: [], bytes: 4 };
const write = async (file: string) => {
  writeFileSync(file, 'mine');
  return facts;
};

/** Backs up while another process does something once the copy for the admin is complete. */
function backUp(force: boolean, meanwhile: () => void = () => {}): Promise<BackupFacts> {
  const withOwn = <T>(work: () => T): T => {
    if (existsSync(`${target}.new`)) meanwhile();
    return work();
  };
  return backupForAdmin(join(folder, 'hkctl.db'), target, { force, withOwn }, write);
}

const content = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

describe('a backup by root of the store of another account', () => {
  it('replaces none that another process has finished meanwhile, unless forced', async () => {
    const another = () => writeFileSync(target, 'of another process');
    await expect(backUp(false, another)).rejects.toMatchObject({ code: 'state_forbids' });
    expect([content(target), content(`${target}.new`)]).toEqual(['of another process', undefined]);
    await backUp(true, another);
    expect([content(target), content(`${target}.new`)]).toEqual(['mine', undefined]);
    expect(readdirSync(join(folder, 'hkctl.transfer'))).toEqual(['lock']);
  });

  it('gives its name to no file of another process, and removes none', async () => {
    let isFirst = true;
    const replaced = () => {
      if (!isFirst) return;
      isFirst = false;
      renameSync(`${target}.new`, join(folder, 'elsewhere'));
      writeFileSync(`${target}.new`, 'of another process');
    };
    await expect(backUp(true, replaced)).rejects.toMatchObject({
      code: 'state_forbids',
      message: expect.stringContaining('Another hkctl is writing a backup'),
    });
    expect([content(target), content(`${target}.new`)]).toEqual([undefined, 'of another process']);
  });

  it('is refused, and writes nothing, where another process has made its file in the same moment', async () => {
    const withOwn = <T>(work: () => T): T => work();
    writeFileSync(`${target}.new`, 'of another process');
    expect(() => createPending(`${target}.new`)).toThrow('Another hkctl is writing a backup');
    await expect(backupForAdmin(join(folder, 'hkctl.db'), target, { force: true, withOwn }, write)).rejects.toThrow();
    expect([content(target), content(`${target}.new`)]).toEqual([undefined, 'of another process']);
  });

  it('removes an interrupted one only while no other process of root backs up this store', async () => {
    writeFileSync(`${target}.new`, '');
    const writing = backupForAdmin(
      join(folder, 'hkctl.db'),
      target,
      { force: false, withOwn: (work) => work() },
      async (file) => {
        expect(existsSync(`${target}.new`)).toBe(true);
        return write(file);
      },
    );
    expect(await writing).toBe(facts);
    expect([content(target), content(`${target}.new`)]).toEqual(['mine', undefined]);
  });
});
