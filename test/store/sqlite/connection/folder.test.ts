import { chownSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { toDomainError } from '../../../../src/store/sqlite-file/errors.ts';
import { runProgram } from '../../../run-program.ts';

it('ends where a file system lets no folder be made, with the exit code of an unusable store', () => {
  const init = 'init --org A --week-start monday --entity B --entity-name C'.split(' ');
  const args = [
    join('bin', 'hkctl.js'),
    ...init,
    '--timezone',
    'UTC',
    '--admin',
    'a',
    '--store',
    '/proc/none/hkctl.db',
  ];
  expect(runProgram(process.execPath, args, { timeout: 20_000 })).toMatchObject({
    code: 6,
    signal: null,
  });
});

it('reports whose folder it is where the account may not use it, as on a volume of a container', () => {
  const refused = Object.assign(new Error('permission denied'), { code: 'EACCES' });
  const error = toDomainError(refused, '/etc/hkctl.db');
  expect(error).toMatchObject({
    code: 'store_unreadable',
    hint: expect.stringContaining('/etc belongs to uid 0. Run'),
  });
  expect(error).toMatchObject({
    hint: expect.stringContaining(`This is uid ${process.geteuid?.()}, and`),
  });
  expect(toDomainError(refused, '/nowhere/hkctl.db')).toMatchObject({
    hint: expect.stringMatching(/^Run hkctl as/),
  });
});

it.each([
  ['hkctl.records.db', ''],
  ['hkctl.db-shm', ', or remove it while no hkctl runs'],
])('reports whose %s it is where root wrote into the folder of the account', (name, removal) => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = join(folder, 'hkctl.db');
  const foreign = join(folder, name);
  writeFileSync(store, '');
  const uid = process.geteuid?.();
  const isRoot = uid === 0;
  if (isRoot) {
    writeFileSync(foreign, '');
    chownSync(foreign, 12345, 12345);
  } else {
    symlinkSync('/etc/passwd', foreign);
  }

  const refused = Object.assign(new Error('unable to open'), { code: 'SQLITE_CANTOPEN' });
  expect(toDomainError(refused, store)).toMatchObject({
    hint: `This is uid ${uid}, and ${foreign} belongs to uid ${isRoot ? 12345 : 0}. Run as root: chown ${uid} ${foreign}${removal}`,
  });
});
