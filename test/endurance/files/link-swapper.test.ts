import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, environment, Running, root } from '../../e2e/program.ts';

/** A number that no account of the machine has. */
const stranger = 64_123;
const rounds = Number(process.env.HKCTL_TEST_ROUNDS ?? 2);
const deadlineMs = 60_000;

const swapper = readFileSync(join(root, 'test', 'endurance', 'files', 'link-swapper-account.cjs'), 'utf8');

/** Names that the account swaps, by what root does meanwhile. */
const swapped = {
  journal: ['hkctl.revocations', 'a.key', 'a.key.new'],
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

/** What hurts a command most; in every other round it is everything at once. */
function namesFor(argv: readonly string[], round: number): readonly string[] {
  if (round % 2 === 1) return Object.values(swapped).flat();
  const [noun] = argv;
  if (noun === 'keys') return swapped.journal;
  if (noun === 'backup') return swapped.transfer;
  return noun === 'restore' || noun === 'init' ? swapped[noun] : swapped.databases;
}

describe.skipIf(process.getuid?.() !== 0)(
  'an account that swaps the files of its store for links (needs root: two accounts)',
  () => {
    let base: string;
    /** Root's: nothing in it may change. */
    let outside: string;
    /** Root's: secret files, backups and inputs that root names. */
    let admin: string;
    /** The stranger's. */
    let state: string;
    let pristine: string;
    let secret: string;

    beforeAll(async () => {
      base = mkdtempSync(join(tmpdir(), 'hkctl-swapper-'));
      chmodSync(base, 0o755);
      [outside, admin, state, pristine] = ['outside', 'admin', 'state', 'pristine'].map((name) => {
        const folder = join(base, name);
        mkdirSync(folder, { mode: name === 'outside' ? 0o755 : 0o700 });
        return folder;
      }) as [string, string, string, string];
      mkdirSync(join(outside, 'folder'), { mode: 0o755 });
      writeFileSync(join(outside, 'shadow'), 'root:secret', { mode: 0o600 });
      writeFileSync(join(outside, 'public'), 'root', { mode: 0o644 });
      writeFileSync(join(outside, 'folder', 'inner'), 'root', { mode: 0o600 });
      writeFileSync(join(admin, 'parts.csv'), 'id,part_number,name\n');
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(admin, name)) as [string, string];
      const pair = ['-keyout', key, '-out', cert, '-days', '2', '-nodes', '-subj', '/CN=localhost'];
      execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', ...pair], {
        stdio: 'ignore',
      });
      chownSync(state, stranger, stranger);
      const init = ['init', '--org', 'Acme', '--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'UTC'];
      await ok([...init, '--admin', 'root']);
      await ok([
        'keys',
        'create',
        '--name',
        'A',
        '--entity',
        'BER',
        '--preset',
        'sensor-gateway',
        '--secret-file',
        join(admin, 'a.key'),
      ]);
      secret = readFileSync(join(admin, 'a.key'), 'utf8').trim();
      await ok(['backup', join(admin, 'plant.backup')]);
      cpSync(state, pristine, { recursive: true });
      cpSync(state, join(outside, 'plant'), { recursive: true });
    });
    afterAll(() => rmSync(base, { recursive: true, force: true }));

    const store = () => join(state, 'hkctl.db');
    const start = (argv: readonly string[], path = store()) =>
      new Running(process.execPath, [cli, ...argv], {
        env: environment({ HKCTL_STORE: path, HKCTL_USER: 'root' }),
      });

    async function ok(argv: readonly string[]): Promise<void> {
      const { code, stderr } = await start(argv).ended;
      expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0);
    }

    /** Every command that works on a store; what root names lies in root's own folder. */
    function commands(): { argv: string[]; endless?: boolean; path?: string }[] {
      const prefix = secret.slice(0, 8);
      const create = ['keys', 'create', '--name', 'B', '--entity', 'BER', '--preset', 'sensor-gateway'];
      return [
        { argv: ['keys', 'revoke', prefix, '--yes'] },
        { argv: ['keys', 'rotate', prefix, '--secret-file', join(state, 'a.key'), '--yes', '--force'] },
        { argv: ['restore', join(state, 'plant.backup'), '--yes'] },
        { argv: ['keys', 'rotate', prefix, '--secret-file', join(admin, 'a.key'), '--yes'] },
        { argv: [...create, '--secret-file', join(admin, 'b.key')] },
        { argv: [...create, '--json'] },
        { argv: ['keys', 'list', '--all'] },
        { argv: ['keys', 'scan', state, admin] },
        { argv: ['backup', join(admin, 'new.backup')] },
        { argv: ['backup', join(admin, 'new.backup'), '--force'] },
        { argv: ['restore', join(admin, 'plant.backup'), '--yes'] },
        { argv: ['restore', join(admin, 'plant.backup'), '--yes', '--json'] },
        { argv: ['import', 'parts', join(admin, 'parts.csv'), '--entity', 'BER'] },
        { argv: ['entities', 'add', 'CHI', '--name', 'Chicago', '--timezone', 'UTC'] },
        { argv: ['entities', 'remove', 'BER', '--yes'] },
        { argv: ['users', 'add', 'carl', '--name', 'Carl', '--role', 'manager'] },
        { argv: ['tenants', 'add', 'Other', '--admin', 'otto'] },
        { argv: ['audit', 'verify'] },
        { argv: ['sensors', 'list', '--entity', 'BER'] },
        { argv: ['migrate'] },
        { argv: ['doctor'] },
        { argv: ['init', '--demo', '--admin', 'root'], path: join(state, 'fresh', 'hkctl.db') },
        {
          argv: ['serve', '--port', '0', '--tls-cert', join(admin, 'cert.pem'), '--tls-key', join(admin, 'key.pem')],
          endless: true,
        },
      ];
    }

    /** What everything in a folder is like: owner, mode, links and content. */
    function stateOf(folder: string): string[] {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => {
          const path = join(folder, name);
          const { uid, gid, mode, nlink, mtimeMs } = lstatSync(path);
          const content = lstatSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
          return [name, uid, gid, mode.toString(8), nlink, mtimeMs, content].join(' ');
        })
        .sort();
    }

    function reset(): void {
      rmSync(state, { recursive: true, force: true });
      mkdirSync(state, { mode: 0o700 });
      for (const name of readdirSync(pristine)) cpSync(join(pristine, name), join(state, name), { recursive: true });
      for (const name of ['', ...readdirSync(state, { recursive: true, encoding: 'utf8' })]) {
        chownSync(join(state, name), stranger, stranger);
      }
      cpSync(join(admin, 'plant.backup'), join(state, 'plant.backup'));
      writeFileSync(join(state, 'a.key'), `${secret}\n`, { mode: 0o600 });
      for (const name of ['plant.backup', 'a.key']) chownSync(join(state, name), stranger, stranger);
      writeFileSync(join(admin, 'a.key'), `${secret}\n`, { mode: 0o600 });
      for (const name of readdirSync(admin)) if (/^(a\.key\.|b\.key|new\.)/.test(name)) rmSync(join(admin, name));
    }

    function swapping(folder: string, swapped: readonly string[], targets: readonly string[]) {
      const child = spawn(
        process.execPath,
        ['-e', swapper, '--', ...[folder, swapped, targets].map((given) => JSON.stringify(given))],
        {
          uid: stranger,
          gid: stranger,
          cwd: '/',
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      let output = '';
      const ready = new Promise<void>((resolve, reject) => {
        child.on('error', reject);
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (output.includes('ready')) resolve();
        });
      });
      const ended = new Promise<number>((resolve) => child.on('close', () => resolve(Number(output.split('\n')[1]))));
      return {
        ready,
        stop: () => {
          child.kill('SIGTERM');
          return ended;
        },
      };
    }

    /** Runs a command to its end, a daemon until it serves; one that hangs fails the test. */
    async function runToEnd(argv: readonly string[], path: string, endless = false): Promise<number | null> {
      const running = start(argv, path);
      const late = setTimeout(() => running.child.kill('SIGKILL'), deadlineMs);
      try {
        if (endless) {
          const [word] = await running.says(/serves|error/, deadlineMs);
          if (word === 'serves') running.child.kill('SIGTERM');
        }
        const { code, signal, stderr } = await running.ended;
        expect(signal, `${argv.join(' ')}: ${stderr}`).toBeNull();
        return code;
      } finally {
        clearTimeout(late);
      }
    }

    it('gets root to write nothing outside of the folder and to give nothing away, whatever root runs', async () => {
      const before = stateOf(outside);
      const targets = ['shadow', 'absent', 'public', 'folder', 'folder/inner', 'folder/absent'].map((name) =>
        join(outside, name),
      );
      let swaps = 0;
      const codes = new Set<number | null>();
      for (let round = 0; round < rounds; round++) {
        for (const { argv, endless, path = store() } of commands()) {
          reset();
          const attack = swapping(state, namesFor(argv, round), targets);
          await attack.ready;
          try {
            codes.add(await runToEnd(argv, path, endless));
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
        reset();
        cpSync(pristine, join(state, 'sub'), { recursive: true });
        for (const name of ['sub', ...readdirSync(pristine).map((file) => join('sub', file))]) {
          chownSync(join(state, name), stranger, stranger);
        }
        const attack = swapping(state, ['sub'], [join(outside, 'plant')]);
        await attack.ready;
        try {
          await runToEnd(argv, join(state, 'sub', 'hkctl.db'), endless);
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
      for (const { argv, endless, path = store() } of writing) {
        for (const name of [
          'hkctl.revocations',
          'hkctl.restored.lock',
          'hkctl.restored.ready',
          'hkctl.db-wal',
          'hkctl.transfer',
        ]) {
          reset();
          rmSync(join(state, name), { recursive: true, force: true });
          symlinkSync(join(outside, name === 'hkctl.transfer' ? 'folder' : 'absent'), join(state, name));
          await runToEnd(argv, path, endless);
          expect(stateOf(outside), `${argv.join(' ')} with ${name}`).toEqual(before);
        }
      }
      expect(existsSync(join(outside, 'absent'))).toBe(false);
    }, 600_000);
  },
);
