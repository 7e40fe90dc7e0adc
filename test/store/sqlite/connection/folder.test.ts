import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toDomainError } from '../../../../src/store/sqlite-file/errors.ts';
import { runProgram } from '../../../run-program.ts';

it('ends where a file system lets no folder be made, with the exit code of an unusable store', () => {
  const init = [
    'init',
    '--org',
    'A',
    '--week-start',
    'monday',
    '--entity',
    'B',
    '--entity-name',
    'C',
  ];
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
