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
    hint:
      process.geteuid?.() === 0
        ? expect.stringMatching(/^Owner and modes allow it/)
        : `This is uid ${process.geteuid?.()}, and /etc belongs to uid 0. Run hkctl as the account that owns the store, or name another with --store.`,
  });
  expect(toDomainError(refused, '/nowhere/hkctl.db')).toMatchObject({
    hint: expect.stringMatching(/^Run hkctl as/),
  });
});

it.each([
  ['hkctl.records.db', 'hkctl.db', ''],
  ['hkctl.db-shm', 'hkctl.db', ', or remove it while no hkctl runs'],
  ['hkctl.revocations', 'hkctl.revocations', ''],
  ['hkctl.daemons', 'hkctl.records.db', ''],
  ['plant-wal', 'plant', ''],
])(
  'reports whose %s it is where root wrote it into the folder of the account, and %s was opened',
  (name, used, removal) => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-folder-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = join(folder, used);
    const foreign = join(folder, name);
    if (used !== name) writeFileSync(store, '');
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
  },
);

it('reports a file that its owner has closed, and does not send the owner to the owner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = join(folder, 'hkctl.db');
  writeFileSync(store, '');
  const closed = join(folder, 'hkctl.revocations');
  writeFileSync(closed, '', { mode: 0o400 });
  const refused = Object.assign(new Error('permission denied'), { code: 'EACCES' });
  const hint = () => toDomainError(refused, store);
  expect(hint()).toMatchObject({ hint: `${closed} has mode 0400. Run: chmod u+rwX ${closed}` });
  rmSync(closed);
  expect(hint()).toMatchObject({ hint: expect.stringContaining('lsattr') });
});
