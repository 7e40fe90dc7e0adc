import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cli, environment, Running } from '../../e2e/program.ts';

/** A number that no account of the machine has. */
export const stranger = 64_123;
const deadlineMs = 60_000;

const swapper = readFileSync(join(__dirname, 'link-swapper-account.cjs'), 'utf8');

/** A store of another account, which swaps the names in its folder for links while root works there. */
export class SwappedPlant {
  readonly base = mkdtempSync(join(tmpdir(), 'hkctl-swapper-'));
  /** Root's: nothing in it may change. */
  readonly outside = this.#folder('outside', 0o755);
  /** Root's: secret files, backups and inputs that root names. */
  readonly admin = this.#folder('admin', 0o700);
  /** The stranger's. */
  readonly state = this.#folder('state', 0o700);
  /** Of what the stranger's folder is made anew before each attack. */
  readonly pristine = this.#folder('pristine', 0o700);
  secret = '';

  #folder(name: string, mode: number): string {
    const folder = join(this.base, name);
    mkdirSync(folder, { mode });
    return folder;
  }

  /** Makes root's files, the stranger's store with a key, and copies of that. */
  async fill(): Promise<void> {
    const { base, outside, admin, state, pristine } = this;
    chmodSync(base, 0o755);
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
    await this.#ok([...init, '--admin', 'root']);
    const create = ['keys', 'create', '--name', 'A', '--entity', 'BER', '--preset', 'sensor-gateway'];
    await this.#ok([...create, '--secret-file', join(admin, 'a.key')]);
    this.secret = readFileSync(join(admin, 'a.key'), 'utf8').trim();
    await this.#ok(['backup', join(admin, 'plant.backup')]);
    cpSync(state, pristine, { recursive: true });
    cpSync(state, join(outside, 'plant'), { recursive: true });
  }

  get store(): string {
    return join(this.state, 'hkctl.db');
  }

  /** Makes the stranger's folder and root's secret files as they were. */
  reset(): void {
    const { admin, pristine, secret, state } = this;
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

  /** Lets the stranger swap names in a folder for links to these targets, until it is stopped; gives how often it did. */
  swapping(folder: string, swapped: readonly string[], targets: readonly string[]) {
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
  async runToEnd(argv: readonly string[], path: string, endless = false): Promise<number | null> {
    const running = this.#start(argv, path);
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

  #start(argv: readonly string[], path = this.store): Running {
    return new Running(process.execPath, [cli, ...argv], {
      env: environment({ HKCTL_STORE: path, HKCTL_USER: 'root' }),
    });
  }

  async #ok(argv: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#start(argv).ended;
    expect(code, `${argv.join(' ')}: ${stderr}`).toBe(0);
  }

  close(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** What everything in a folder is like: owner, mode, links and content. */
export function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const path = join(folder, name);
      const { uid, gid, mode, nlink, mtimeMs } = lstatSync(path);
      const content = lstatSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : '';
      return [name, uid, gid, mode.toString(8), nlink, mtimeMs, content].join(' ');
    })
    .sort();
}
