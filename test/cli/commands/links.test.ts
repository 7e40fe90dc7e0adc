import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { filesOf } from '../../../src/store/sqlite/connection/files.ts';
import { preparedPath } from '../../../src/store/sqlite/prepared.ts';
import { Cli } from '../harness.ts';

let cli: Cli;
let folder: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = dirname(dirname(cli.store));
});

const fifo = (path: string) => execFileSync('mkfifo', [path]);

describe('a link in place of a file of the store', () => {
  it('is refused with one sentence, and nothing is written behind it', async () => {
    const { key } = await cli.key('A');
    const backup = join(folder, 'plant.backup');
    await cli.ok(['backup', backup]);
    const { registry, records, readings, revocations } = filesOf(cli.store);
    const { ready } = preparedPath(cli.store);
    const revoke = ['keys', 'revoke', key.id, '--yes'];
    const restore = ['restore', backup, '--yes'];
    const cases: [file: string | null, line: string[]][] = [
      [revocations, revoke],
      [registry, ['keys', 'list']],
      [`${registry}-wal`, ['keys', 'list']],
      [`${registry}-shm`, ['keys', 'list']],
      [`${registry}-journal`, ['keys', 'list']],
      [records, ['sensors', 'list', '--entity', 'BER']],
      [readings, ['sensors', 'list', '--entity', 'BER']],
      [ready, restore],
    ];
    for (const [file, line] of cases) {
      if (file === null) throw new Error('a store on disk has every file');
      const kept = `${file}.kept`;
      if (existsSync(file)) renameSync(file, kept);
      for (const target of ['absent', 'kept']) {
        const outside = join(folder, target);
        if (target === 'kept') writeFileSync(outside, 'mine');
        symlinkSync(outside, file);
        const { code, stderr } = await cli.run(line);
        expect([code, stderr], `${file} → ${target}`).toEqual([6, expect.stringContaining(`${file} is a link`)]);
        expect(existsSync(join(folder, 'absent'))).toBe(false);
        expect(!existsSync(join(folder, 'kept')) || readFileSync(join(folder, 'kept'), 'utf8') === 'mine').toBe(true);
        rmSync(file);
      }
      if (existsSync(kept)) renameSync(kept, file);
    }
    await cli.ok('doctor');
    expect((await cli.show(key.id)).status).toBe('Active');
  });

  it('is named as a link by every command and by doctor, wherever it leads', async () => {
    const { daemons } = filesOf(cli.store);
    const { ready } = preparedPath(cli.store);
    for (const target of [join(folder, 'absent'), ready, dirname(cli.store)]) {
      symlinkSync(target, ready);
      const { code, stderr } = await cli.run('keys list');
      expect([code, stderr], target).toEqual([6, expect.stringContaining(`${ready} is a link`)]);
      rmSync(ready);
      rmSync(daemons, { force: true });
      symlinkSync(target, daemons);
      const { stdout } = await cli.run('doctor');
      expect(stdout).toMatch(/problem +files .*hkctl\.daemons is a link/);
      rmSync(daemons);
    }
  });

  it('may be one on the way to its folder', async () => {
    const link = join(folder, 'link');
    symlinkSync(dirname(cli.store), link);
    await new Cli(join(link, 'hkctl.db')).ok('keys list');
  });

  it('is refused when a store is made', async () => {
    const target = join(folder, 'absent');
    const fresh = new Cli(join(folder, 'fresh', 'hkctl.db'));
    mkdirSync(dirname(fresh.store), { mode: 0o700 });
    symlinkSync(target, fresh.store);
    const init = 'init --org A --entity BER --entity-name B --timezone UTC --admin root';
    const { code, stderr } = await fresh.run(init);
    expect([code, stderr, existsSync(target)]).toEqual([6, expect.stringContaining('is a link'), false]);
  });
});

describe('what is not a regular file', () => {
  it('is refused in place of a file of the store, and nobody waits for it', async () => {
    const { key } = await cli.key('A');
    const { revocations } = filesOf(cli.store);
    fifo(revocations);
    const revoked = await cli.run(['keys', 'revoke', key.id, '--yes']);
    expect([revoked.code, revoked.stderr]).toEqual([6, expect.stringContaining('is not a regular file')]);
    expect((await cli.show(key.id)).status).toBe('Active');
  });

  it('is not replaced by a backup, nor waited for', async () => {
    const file = join(folder, 'plant.backup');
    fifo(file);
    const replaced = await cli.run(['backup', file, '--force']);
    expect([replaced.code, replaced.stderr]).toEqual([2, expect.stringContaining('it is not a regular file')]);
    const device = join(folder, 'device');
    symlinkSync('/dev/null', device);
    expect((await cli.run(['backup', device, '--force'])).code).toBe(2);
    expect([lstatSync(file).isFIFO(), lstatSync(device).isSymbolicLink()]).toEqual([true, true]);
  });

  it('is no backup to restore', async () => {
    const file = join(folder, 'plant.backup');
    fifo(file);
    const { code, stderr } = await cli.run(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not a regular file')]);
  });

  it('takes no secret', async () => {
    const { key } = await cli.key('A');
    const file = join(folder, 'a.key');
    fifo(file);
    const create = ['keys', 'create', '--name', 'B', '--entity', 'BER', '--preset', 'sensor-gateway'];
    expect((await cli.run([...create, '--secret-file', file])).code).toBe(5);
    const rotate = ['keys', 'rotate', key.id, '--secret-file', file, '--yes', '--force'];
    expect((await cli.run(rotate)).code).toBe(2);
    rmSync(file);
    fifo(`${file}.new`);
    expect((await cli.run(rotate)).code).toBe(2);
    expect((await cli.show(key.id)).status).toBe('Active');
  });
});

describe('a folder that others can write', () => {
  const init = 'init --org A --entity BER --entity-name B --timezone UTC --admin root';

  it('takes no new store where every account can, and is named by doctor for one that is there', async () => {
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    const refused = await new Cli(join(open, 'hkctl.db')).run(init);
    expect([refused.code, refused.stderr]).toEqual([
      6,
      expect.stringMatching(/Every account can write the folder .*open \(mode 0777\)[\s\S]*chmod 700/),
    ]);
    expect(existsSync(join(open, 'hkctl.db'))).toBe(false);
    chmodSync(dirname(cli.store), 0o777);
    const { code, stdout } = await cli.run('doctor');
    expect([code, stdout]).toEqual([5, expect.stringMatching(/problem {2}files .*mode 0777/)]);
  });

  it('is named where it is sticky or open to its group', async () => {
    for (const mode of [0o1777, 0o770]) {
      const open = join(folder, `open-${mode}`);
      mkdirSync(open);
      chmodSync(open, mode);
      const made = await new Cli(join(open, 'hkctl.db')).ok(init);
      expect(made.stderr).toContain(`warning: others than its owner can write the folder ${open}`);
    }
    expect((await new Cli(join(folder, 'closed', 'hkctl.db')).ok(init)).stderr).not.toContain('warning');
  });
});
