import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { needPrograms, needRoot } from '../../machine/needs.ts';

needRoot();
needPrograms('setpriv');

/** A number that no account of the machine has. */
const hostile = 64_131;
const rounds = 4;

/**
 * Watches a folder by inotify and reacts to every event: reads what it can, and puts its own file, or a link, in place of what is
 * there. Prints what it has read and exchanged.
 */
const attack = `
  const fs = require('node:fs');
  const [folder, own] = process.argv.slice(1);
  const report = (what, name) => process.stdout.write(what + ' ' + name + '\\n');
  const attempt = (what, name, work) => {
    try {
      work();
      report(what, name);
    } catch (thrown) {
      // The system refused it, which is what it should do; anything else is a mistake of this program.
      if (thrown.syscall === undefined) throw thrown;
    }
  };
  fs.watch(folder, (_, name) => {
    if (!name || name === 'hostile' || name.startsWith('gone')) return;
    const path = folder + '/' + name;
    // What it has put there itself proves nothing.
    if (fs.lstatSync(path, { throwIfNoEntry: false })?.uid === process.geteuid()) return;
    attempt('read', name, () => fs.readFileSync(path));
    attempt('moved', name, () => fs.renameSync(path, folder + '/gone-' + Math.random()));
    attempt('linked', name, () => fs.symlinkSync(own, path));
    attempt('planted', name, () => fs.copyFileSync(own, path, fs.constants.COPYFILE_EXCL));
  });
  report('ready', folder);
`;

let plant: Plant;
let folder: string;
let backup: string;
let other: string;
beforeEach(async () => {
  plant = await Plant.open();
  await plant.createKey('First', 'sensor-gateway');
  folder = mkdtempSync(join(tmpdir(), 'hkctl-hostile-'));
  chmodSync(folder, 0o711);
  // Another backup of the same store, which the hostile account has got hold of.
  other = join(folder, 'other.backup');
  await plant.ok(['backup', other]);
  chmodSync(other, 0o644);
  backup = plant.path('plant.backup');
  await plant.createKey('Second', 'sensor-gateway');
  await plant.ok(['backup', backup]);
});
afterEach(async () => {
  await plant.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs something while the hostile account reacts to every change in a folder; returns what it has done. */
async function under(place: string, work: () => Promise<void>): Promise<string> {
  const args = ['--reuid', `${hostile}`, '--regid', `${hostile}`, '--clear-groups'];
  const attacker = plant.attach('setpriv', [...args, process.execPath, '-e', attack, place, other]);
  await until('the attacker watches', () => attacker.stdout.includes('ready'));
  await work();
  attacker.child.kill('SIGKILL');
  return (await attacker.ended).stdout.replace(/^ready.*\n/, '');
}

function newFolder(name: string, mode: number, owner = 0): string {
  const place = join(folder, name);
  mkdirSync(place);
  chmodSync(place, mode);
  chownSync(place, owner, owner);
  return place;
}

describe.each([
  ['of the hostile account', 0o755, hostile],
  ['that everybody can write', 0o777, 0],
  ['that its group can write', 0o775, 0],
])('a folder %s', (_, mode, owner) => {
  it('gets no backup, and none of its files is restored', async () => {
    const place = newFolder('place', mode, owner);
    if (mode === 0o775) chownSync(place, 0, hostile);
    copyFileSync(backup, join(place, 'plant.backup'));
    const done = await under(place, async () => {
      for (const line of [
        ['backup', join(place, 'new.backup')],
        ['backup', place],
        ['backup', '--keep', '1', place],
        ['restore', join(place, 'plant.backup'), '--yes'],
      ]) {
        const { code, stderr } = await plant.hkctl(line);
        expect([code, stderr], line.join(' ')).toEqual([
          2,
          expect.stringMatching(/exchange the file meanwhile.*hkctl (backup|restore) -/s),
        ]);
      }
    });
    expect(done).toBe('');
    // What works there, as the message says.
    const { stdout } = await plant.hkctl(['audit', 'list', '--action', 'store.restore', '--json']);
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

describe('a sticky folder', () => {
  it(`gets whole backups that the hostile account neither reads nor exchanges (${rounds} rounds)`, async () => {
    const place = newFolder('place', 0o1777);
    const done = await under(place, async () => {
      for (let round = 0; round < rounds; round++) {
        const file = join(place, `${round}.backup`);
        const { digest } = await plant.json<{ digest: string }>(['backup', file]);
        expect(readFileSync(file, 'latin1').slice(-72)).toBe(`${digest}\n`);
        await plant.ok(['backup', file, '--force']);
        await plant.ok(['restore', file, '--yes']);
        expect(await plant.json<unknown[]>(['keys', 'list'])).toHaveLength(2);
      }
      await plant.ok(['backup', '--keep', '2', place]);
    });
    expect(done.split('\n').filter((line) => /^(read|moved)/.test(line))).toEqual([]);
  });

  it('is no place to restore from for a file of the hostile account, nor behind a link of it', async () => {
    const place = newFolder('place', 0o1777);
    const theirs = join(place, 'theirs.backup');
    copyFileSync(other, theirs);
    chownSync(theirs, hostile, hostile);
    const { code, stderr } = await plant.hkctl(['restore', theirs, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`(uid ${hostile})`)]);
  });
});

describe('a backup that is exchanged while it is read', () => {
  it('is refused by its digest', async () => {
    const bytes = readFileSync(backup);
    const middle = bytes.length / 2;
    const mixed = Buffer.concat([bytes.subarray(0, middle), readFileSync(other).subarray(middle)]);
    const file = join(folder, 'mixed.backup');
    writeFileSync(file, mixed);
    const { code, stderr } = await plant.hkctl(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('is damaged')]);
  });
});
