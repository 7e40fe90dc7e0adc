import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { environment, Running } from '../../e2e/program.ts';

/** Makes the copy in memory over the present root, and stays until it is killed, with every process in the copy. */
const setup = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$0"
mkdir "$0/upper" "$0/work" "$0/root"
mount -t overlay none -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" "$0/root"
mount -t proc none "$0/root/proc"
mount --rbind /dev "$0/root/dev"
ip link set lo up
echo ready
sleep infinity &
# As the first process it must also collect those whose parents have ended.
wait`;

const namespaces = ['--mount', '--net', '--pid'];

/**
 * A copy of this machine that forgets everything: what is written stays in memory; ports, mounts and processes are its own.
 * Accounts, packages and services can be tried in it for real. Only root can make one.
 */
export class Machine {
  readonly #keeper: ChildProcess;
  readonly #folder: string;
  readonly #pid: string;

  private constructor(keeper: ChildProcess, folder: string, pid: string) {
    this.#keeper = keeper;
    this.#folder = folder;
    this.#pid = pid;
  }

  /** Whether this machine can be copied: by root, where overlays can be mounted, with the programs that tests need. */
  static isPossible(...programs: string[]): boolean {
    const tried =
      'mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w && mount -t overlay none -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt';
    return (
      process.getuid?.() === 0 &&
      ['nsenter', 'setpriv', 'ip', ...programs].every((name) => spawnSync('which', [name]).status === 0) &&
      spawnSync('unshare', [...namespaces, '--fork', 'sh', '-c', tried]).status === 0
    );
  }

  static async open(): Promise<Machine> {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-machine-'));
    const args = [...namespaces, '--fork', '--kill-child', 'sh', '-c', setup, folder];
    const keeper = new Running('unshare', args, { env: environment({}) });
    await keeper.says(/^ready$/m);
    const pid = readFileSync(`/proc/${keeper.child.pid}/task/${keeper.child.pid}/children`, 'utf8').trim();
    return new Machine(keeper.child, folder, pid);
  }

  /** Runs a script of the shell as an account, in its home where it has one. It must end well; returns what it printed. */
  async run(account: string, script: string): Promise<string> {
    const { code, stdout, stderr } = await this.start(account, script).ended;
    expect(code, `${script}\n${stdout}${stderr}`).toBe(0);
    return stdout + stderr;
  }

  /** Starts such a script. The shell stays the caller of its last command, too, which sudo would else replace. */
  start(account: string, script: string): Running {
    const home = account === 'root' ? '/root' : `/home/${account}`;
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    const clean = ['env', '-i', `HOME=${home}`, `PATH=${path}`, `USER=${account}`, 'LANG=C.UTF-8', 'NO_COLOR=1'];
    const as = ['setpriv', '--reuid', account, '--regid', account, '--init-groups'];
    const args = [
      ...['--target', this.#pid, ...namespaces],
      ...[
        'chroot',
        join(this.#folder, 'root'),
        ...as,
        ...clean,
        'bash',
        '-euc',
        `cd 2> /dev/null || cd /\n${script}\n:`,
      ],
    ];
    return new Running('nsenter', args, { env: environment({}) });
  }

  /** Ends every process of the copy, and forgets it. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#keeper.on('exit', resolve));
    this.#keeper.kill('SIGKILL');
    await ended;
    if (existsSync(this.#folder)) rmdirSync(this.#folder);
  }
}
