import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { outputOf } from '../../run-program.ts';
import { Cli } from '../harness.ts';

let cli: Cli;
let folder: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = dirname(dirname(cli.store));
});

const fifo = (path: string) => outputOf('mkfifo', [path]);

describe('a link', () => {
  it('may be on the way to the folder of a store', async () => {
    const link = join(folder, 'link');
    symlinkSync(dirname(cli.store), link);
    await new Cli(join(link, 'hkctl.db')).ok('keys list');
  });
});

describe('what is not a regular file', () => {
  it('is not replaced by a backup, nor waited for', async () => {
    const file = join(folder, 'plant.backup');
    fifo(file);
    const replaced = await cli.run(['backup', file, '--force']);
    expect([replaced.code, replaced.stderr]).toEqual([
      2,
      expect.stringContaining('it is not a regular file'),
    ]);
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
    const create = 'keys create --name B --entity BER --preset sensor-gateway'.split(' ');
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
      expect.stringMatching(
        /Every account can write the folder .*open \(mode 0777\)[\s\S]*chmod 700/,
      ),
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
    expect((await new Cli(join(folder, 'closed', 'hkctl.db')).ok(init)).stderr).not.toContain(
      'warning',
    );
  });
});
