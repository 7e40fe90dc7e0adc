import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import {
  initialVersions,
  schemaVersions,
} from '../../../src/store/sqlite-file/schema/schema-versions.ts';
import { runProgram } from '../../run-program.ts';
import { Cli } from '../harness.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const terminal = { columns: 80, rows: 24 };

describe('init', () => {
  it('says that there is a store already before it asks anything', async () => {
    const { code, stderr } = await cli.run('init', { terminal });
    expect(code).toBe(5);
    expect(stderr).toContain('There is a store at');
    expect(stderr).not.toContain('Name of the organization');
  });
});

describe('the path of a store', () => {
  const folder = () => dirname(cli.store);
  const init = 'init --org Acme --entity BER --entity-name Berlin --timezone UTC'.split(' ');
  const commands = [['keys', 'list'], init, ['doctor'], ['migrate'], ['backup', 'x.backup']];

  it.each([':memory:', ''])(
    '"%s" keeps nothing, and is refused by every command (exit 2)',
    async (store) => {
      for (const command of [
        ...commands,
        ['permissions', 'list'],
        ['restore', 'x.backup', '--yes'],
      ]) {
        const { code, stderr } = await cli.run(['--store', store, ...command]);
        expect([code, stderr], command.join(' ')).toEqual([
          2,
          expect.stringMatching(/^error: --store: .*path of a file/),
        ]);
      }
      const { code, stderr } = await cli.run(init, { env: { HKCTL_STORE: ':memory:' } });
      expect([code, stderr]).toEqual([2, expect.stringContaining('HKCTL_STORE')]);
    },
  );

  it.each(['mysql://x:hunter2@h/plant', 'postgress://h/plant', 'HTTP://h'])(
    '"%s" is the address of no store',
    async (store) => {
      for (const command of commands) {
        const { code, stderr } = await cli.run(['--store', store, ...command]);
        expect([code, stderr], command.join(' ')).toEqual([
          2,
          expect.stringMatching(/^error: --store: No store can be kept/),
        ]);
        expect(stderr).not.toContain('hunter2');
      }
    },
  );

  it.each([
    ['a folder', 'is a folder'],
    ['a circle of links', 'links run in a circle'],
    ['in a circle of links', 'links run in a circle'],
    ['below a file', 'its parent is not a folder'],
    ['a FIFO', 'no ordinary file'],
    ['too long a name', 'its name is too long'],
    ['too long a name for its other files', 'its name is too long'],
    ['too long a path for SQLite', 'its name is too long'],
    ['too long a path', 'its name is too long'],
  ])('that is %s is reported as such (exit 6)', async (what, sentence) => {
    const circle = join(folder(), 'circle');
    symlinkSync('circle', circle);
    const fifo = join(folder(), 'fifo');
    expect(runProgram('mkfifo', [fifo]).code).toBe(0);
    const deep = join(folder(), `${'n'.repeat(100)}/`.repeat(5));
    mkdirSync(deep, { recursive: true });
    const path = {
      'a folder': folder(),
      'a circle of links': circle,
      'in a circle of links': join(circle, 'hkctl.db'),
      'below a file': join(cli.store, 'hkctl.db'),
      'a FIFO': fifo,
      'too long a name': join(folder(), 'n'.repeat(300)),
      'too long a name for its other files': join(folder(), `${'n'.repeat(240)}.db`),
      'too long a path for SQLite': join(deep, 'hkctl.db'),
      'too long a path': join(folder(), 'n/'.repeat(3000), 'hkctl.db'),
    }[what];
    const backup = join(folder(), 'plant.backup');
    await cli.ok(['backup', backup]);
    for (const command of [...commands, ['restore', backup, '--yes']]) {
      const { code, stderr } = await cli.run(['--store', path ?? '', ...command]);
      expect([code, stderr], command.join(' ')).toEqual([6, expect.stringContaining(sentence)]);
    }
  });

  it.each(['plant', 'plant.db', 'plant.sqlite'])(
    '%s: a store with a missing file names that file',
    async (name) => {
      const other = await new Cli(join(folder(), 'other', name)).seed();
      for (const file of [filesOf(other.store).readings, filesOf(other.store).records]) {
        rmSync(file);
        const { code, stderr } = await other.run('sensors list --entity BER');
        expect([code, stderr]).toEqual([
          6,
          expect.stringContaining(`The file ${file} of the store ${other.store} is missing.`),
        ]);
      }
    },
  );
});

describe('migrate', () => {
  const readings = () =>
    openFile(filesOf(cli.store).readings, { busyTimeoutMs: 100, create: true });
  const version = () => {
    const connection = readings();
    const found = connection.pragma('user_version', { simple: true });
    connection.close();
    return found;
  };

  it('refuses a profile without the permission before it changes anything, and audits the attempt', async () => {
    // A file of the store as it was before its first migration.
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(`${filesOf(cli.store).readings}${suffix}`, { force: true });
    readings().close();
    for (const osAccount of ['operator', 'entity_admin']) {
      expect((await cli.run('migrate --json', { osAccount })).error().code).toBe('not_permitted');
    }
    expect((await cli.run('migrate --json', { osAccount: 'nobody' })).error().code).toBe(
      'no_profile',
    );
    expect(version()).toBe(0);
    const [last, before] = (await cli.ok('audit list --json --limit 2')).json<unknown[]>();
    expect(last).toMatchObject({
      action: 'profile.use',
      outcome: 'denied',
      actor: null,
      target: 'nobody',
    });
    expect(before).toMatchObject({
      action: 'store.migrate',
      outcome: 'denied',
      actor: { login: 'entity_admin' },
    });
    expect((await cli.ok('migrate --json')).json()).toEqual({
      applied: schemaVersions.readings - initialVersions.readings + 1,
    });
    expect(version()).toBe(schemaVersions.readings);
  });
});
