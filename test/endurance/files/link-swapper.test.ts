import { chownSync, cpSync, existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProgram } from '../../docs/program.ts';
import { needRoot } from '../machine/needs.ts';
import { SwappedPlant, stateOf, stranger } from './swapped-plant.ts';

const rounds = Number(process.env.HKCTL_TEST_ROUNDS ?? 2);

/** Names that the account swaps, by what root does meanwhile. */
const swapped = {
  journal: ['hkctl.revocations', 'hkctl.rotations', 'a.key', 'a.key.new'],
  restore: [
    'plant.backup',
    'hkctl.restored.lock',
    'hkctl.restored.ready',
    'hkctl.restored.revocations',
    'hkctl.restored.db',
  ],
  transfer: ['hkctl.transfer', 'hkctl.transfer/lock', 'hkctl.transfer/backup', 'hkctl.transfer/backup.new'],
  init: ['fresh', 'fresh/hkctl.db', 'fresh/hkctl.revocations'],
  databases: ['hkctl', 'hkctl.records', 'hkctl.readings', 'hkctl.restored.records'].flatMap((name) =>
    ['', '-wal', '-shm', '-journal'].map((end) => `${name}.db${end}`),
  ),
};

/** Commands that open no store; `keys` without a verb is `keys list`. */
const storeless =
  /^(?:keys|permissions list|openapi|completion|systemd-unit|metrics-rules|postgres-roles|postgres-citus)$/;

/** What hurts a command most; in every other round it is everything at once. */
function namesFor(argv: readonly string[], round: number): readonly string[] {
  if (round % 2 === 1) return Object.values(swapped).flat();
  const [noun] = argv;
  if (noun === 'keys') return swapped.journal;
  if (noun === 'backup') return swapped.transfer;
  return noun === 'restore' || noun === 'init' ? swapped[noun] : swapped.databases;
}

needRoot();
describe('an account that swaps the files of its store for links (needs root: two accounts)', () => {
  let plant: SwappedPlant;
  let outside: string;
  let admin: string;
  let state: string;
  let pristine: string;

  beforeAll(async () => {
    plant = new SwappedPlant();
    ({ outside, admin, state, pristine } = plant);
    await plant.fill();
  });
  afterAll(() => plant.close());

  /** Every command that works on a store; what root names lies in root's own folder. */
  function commands(): { argv: string[]; endless?: boolean; path?: string }[] {
    const prefix = plant.secret.slice(0, 8);
    const create = ['keys', 'create', '--name', 'B', '--entity', 'BER', '--preset', 'sensor-gateway'];
    return [
      { argv: ['keys', 'revoke', prefix, '--yes'] },
      { argv: ['keys', 'rotate', prefix, '--secret-file', join(state, 'a.key'), '--yes', '--force'] },
      { argv: ['restore', join(state, 'plant.backup'), '--yes'] },
      { argv: ['keys', 'rotate', prefix, '--secret-file', join(admin, 'a.key'), '--yes'] },
      { argv: [...create, '--secret-file', join(admin, 'b.key')] },
      { argv: [...create, '--json'] },
      { argv: ['keys', 'list', '--all'] },
      { argv: ['keys', 'show', prefix] },
      { argv: ['keys', 'note', prefix, 'a note'] },
      { argv: ['keys', 'verify'] },
      { argv: ['keys', 'scan', state, admin] },
      { argv: ['backup', join(admin, 'new.backup')] },
      { argv: ['backup', join(admin, 'new.backup'), '--force'] },
      { argv: ['restore', join(admin, 'plant.backup'), '--yes'] },
      { argv: ['restore', join(admin, 'plant.backup'), '--yes', '--json'] },
      { argv: ['import', 'parts', join(admin, 'parts.csv'), '--entity', 'BER'] },
      { argv: ['entities', 'add', 'CHI', '--name', 'Chicago', '--timezone', 'UTC'] },
      { argv: ['entities', 'deactivate', 'BER', '--yes'] },
      { argv: ['entities', 'activate', 'BER'] },
      { argv: ['entities', 'remove', 'BER', '--yes'] },
      { argv: ['entities', 'list'] },
      { argv: ['users', 'add', 'carl', '--name', 'Carl', '--role', 'manager'] },
      { argv: ['users', 'set-role', 'root', 'super_user'] },
      { argv: ['users', 'deactivate', 'root', '--yes'] },
      { argv: ['users', 'activate', 'root'] },
      { argv: ['users', 'list'] },
      { argv: ['tenants', 'add', 'Other', '--admin', 'otto'] },
      { argv: ['tenants', 'set', '--name', 'Another'] },
      { argv: ['tenants', 'list'] },
      { argv: ['audit', 'verify'] },
      { argv: ['audit', 'list'] },
      { argv: ['audit', 'export'] },
      { argv: ['sensors', 'list', '--entity', 'BER'] },
      { argv: ['sensors', 'show', 'S-1', '--entity', 'BER'] },
      { argv: ['sensors', 'export', '--entity', 'BER'] },
      { argv: ['sensors', 'erase', 'S-1', '--entity', 'BER', '--from', '2026-01-01', '--to', '2026-02-01', '--yes'] },
      { argv: ['status'] },
      { argv: ['migrate'] },
      { argv: ['doctor'] },
      { argv: ['init', '--demo', '--admin', 'root'], path: join(state, 'fresh', 'hkctl.db') },
      {
        argv: ['serve', '--port', '0', '--tls-cert', join(admin, 'cert.pem'), '--tls-key', join(admin, 'key.pem')],
        endless: true,
      },
    ];
  }

  it('meets every command that works on a store', async () => {
    const tried = commands().map(({ argv }) => argv.join(' '));
    const untried = [...(await readProgram()).commands.keys()].filter(
      (name) => !storeless.test(name) && !tried.some((line) => line === name || line.startsWith(`${name} `)),
    );
    expect(untried).toEqual([]);
  });

  it.each([
    ['the journal', 'hkctl.revocations', () => ['keys', 'revoke', plant.secret.slice(0, 8), '--yes']],
    ['the mark of a restore', 'hkctl.restored.ready', () => ['restore', join(admin, 'plant.backup'), '--yes']],
  ])('gets root to write nothing outside of the folder through %s alone, however often', async (_, name, argv) => {
    const before = stateOf(outside);
    const targets = ['shadow', 'absent', 'public'].map((target) => join(outside, target));
    for (let count = 0; count < 12; count++) {
      plant.reset();
      const attack = plant.swapping(state, [name], targets);
      await attack.ready;
      try {
        await plant.runToEnd(argv(), plant.store);
      } finally {
        await attack.stop();
      }
      expect(stateOf(outside)).toEqual(before);
    }
  });

  it('gets root to write nothing outside of the folder and to give nothing away, whatever root runs', async () => {
    const before = stateOf(outside);
    const targets = ['shadow', 'absent', 'public', 'folder', 'folder/inner', 'folder/absent'].map((name) =>
      join(outside, name),
    );
    let swaps = 0;
    const codes = new Set<number | null>();
    for (let round = 0; round < rounds; round++) {
      for (const { argv, endless, path = plant.store } of commands()) {
        plant.reset();
        const attack = plant.swapping(state, namesFor(argv, round), targets);
        await attack.ready;
        try {
          codes.add(await plant.runToEnd(argv, path, endless));
        } finally {
          swaps += await attack.stop();
        }
        expect(stateOf(outside), argv.join(' ')).toEqual(before);
        const given = stateOf(admin).filter((line) => !/^\S+ 0 0 /.test(line));
        expect(given, argv.join(' ')).toEqual([]);
      }
    }
    // Otherwise nothing was tried.
    expect(swaps).toBeGreaterThan(100 * rounds);
    expect(
      [...codes].every((code) => code !== null && [0, 1, 2, 3, 5, 6].includes(code)),
      [...codes].join(' '),
    ).toBe(true);
  }, 600_000);

  it('does not get root to work on a store of root by swapping a folder on the way', async () => {
    const before = stateOf(outside);
    let swaps = 0;
    for (const { argv, endless } of commands()) {
      plant.reset();
      cpSync(pristine, join(state, 'sub'), { recursive: true });
      for (const name of ['sub', ...readdirSync(pristine).map((file) => join('sub', file))]) {
        chownSync(join(state, name), stranger, stranger);
      }
      const attack = plant.swapping(state, ['sub'], [join(outside, 'plant')]);
      await attack.ready;
      try {
        await plant.runToEnd(argv, join(state, 'sub', 'hkctl.db'), endless);
      } finally {
        swaps += await attack.stop();
      }
      expect(stateOf(outside), argv.join(' ')).toEqual(before);
    }
    expect(swaps).toBeGreaterThan(100);
  }, 600_000);

  it('finds all of it refused or done with its own rights where the links stay', async () => {
    const before = stateOf(outside);
    const writing = commands().filter(({ argv }) => /revoke|create|backup|restore|serve/.test(argv.join(' ')));
    for (const { argv, endless, path = plant.store } of writing) {
      for (const name of [
        'hkctl.revocations',
        'hkctl.restored.lock',
        'hkctl.restored.ready',
        'hkctl.db-wal',
        'hkctl.transfer',
      ]) {
        plant.reset();
        rmSync(join(state, name), { recursive: true, force: true });
        symlinkSync(join(outside, name === 'hkctl.transfer' ? 'folder' : 'absent'), join(state, name));
        await plant.runToEnd(argv, path, endless);
        expect(stateOf(outside), `${argv.join(' ')} with ${name}`).toEqual(before);
      }
    }
    expect(existsSync(join(outside, 'absent'))).toBe(false);
  }, 600_000);
});
