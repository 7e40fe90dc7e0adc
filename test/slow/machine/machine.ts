import type { ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { childrenOf, ofProcess } from '../../e2e/processes.ts';
import { environment, Running, until } from '../../e2e/program.ts';
import { needPrograms, needRoot, needWorking } from './needs.ts';

/** Makes the copy in memory over the present root. Without that file, installing a package does not read all manual pages of the machine again. */
const copy = `set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$0"
mkdir "$0/upper" "$0/work" "$0/root"
mount -t overlay none -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" "$0/root"
rm -f "$0/root/var/lib/man-db/auto-update"`;

/** Stays until it is killed, with every process in the copy. */
const stay = `${copy}
mount -t proc none "$0/root/proc"
mount --rbind /dev "$0/root/dev"
ip link set lo up
echo ready
sleep infinity &
# As the first process it must also collect those whose parents have ended.
wait`;

/**
 * Boots systemd in the copy, with no service of this machine: a network has to wait for nothing, and /tmp is not emptied, where
 * programs of the tests may be.
 */
const boot = `${copy}
mount -t proc none /proc
export SYSTEMD_NSPAWN_TMPFS_TMP=0
exec systemd-nspawn --quiet --directory="$0/root" --boot --register=no --keep-unit --private-network --console=pipe \
  --machine=hkctl --resolv-conf=off --timezone=off --link-journal=no systemd.unit=basic.target systemd.mask=timers.target \
  systemd.mask=systemd-tmpfiles-setup.service systemd.mask=network-online.target`;

/** A script that takes Node.js away from a copy of this machine. */
export const withoutNode = `for program in $(which -a node nodejs); do rm -f "$program"; done
! which node nodejs`;

/** How long a busy machine may take to boot. */
const slowly = { timeoutMs: 25_000, everyMs: 50 };

const namespaces = ['--mount', '--net', '--pid'];

/**
 * A copy of this machine that forgets everything: what is written stays in memory; ports, mounts and processes are its own.
 * Accounts, packages and services can be tried in it for real. Only root can make one.
 */
export class Machine {
  readonly #keeper: ChildProcess;
  readonly #folder: string;
  readonly #pid: string;
  /** Its root, as a process in its namespaces sees it. */
  readonly #root: string;

  private constructor(keeper: ChildProcess, folder: string, pid: string, root: string) {
    this.#keeper = keeper;
    this.#folder = folder;
    this.#pid = pid;
    this.#root = root;
  }

  /** Throws where this machine cannot be copied: only by root, and with the programs that tests need. */
  static #need(...programs: string[]): void {
    needRoot();
    needPrograms('nsenter', 'setpriv', 'ip', ...programs);
    const tried =
      'mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w && mount -t overlay none -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt';
    needWorking('unshare', ...namespaces, '--fork', 'sh', '-c', tried);
  }

  static async open(...programs: string[]): Promise<Machine> {
    Machine.#need(...programs);
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-machine-'));
    const args = [...namespaces, '--fork', '--kill-child', 'sh', '-c', stay, folder];
    const keeper = new Running('unshare', args, { env: environment({}) });
    await keeper.says(/^ready$/m);
    const [pid = ''] = childrenOf(keeper.child.pid);
    return new Machine(keeper.child, folder, pid, join(folder, 'root'));
  }

  /** The same with a running systemd. */
  static async boot(...programs: string[]): Promise<Machine> {
    Machine.#need('systemd-nspawn', ...programs);
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-machine-'));
    const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', boot, folder];
    const keeper = new Running('unshare', args, { env: environment({}) });
    const findInit = () =>
      childrenOf(keeper.child.pid)
        .flatMap(childrenOf)
        .find((pid) => ofProcess(pid, 'comm') === 'systemd\n');
    const pid = await until(
      'systemd starts',
      () => (keeper.hasEnded ? 'none' : findInit()),
      slowly,
    );
    const machine = new Machine(keeper.child, folder, pid, '/');
    const state = async () =>
      (await machine.start('root', 'systemctl is-system-running').ended).stdout.trim();
    const isUp = () =>
      keeper.hasEnded ? 'no' : state().then((name) => /^(running|degraded)$/.test(name) && 'yes');
    try {
      expect(await until('systemd is up', isUp, slowly), keeper.stderr).toBe('yes');
      return machine;
    } catch (thrown) {
      await machine.close();
      throw thrown;
    }
  }

  /** Copies a folder of this machine, also from a file system that the copy does not have, such as one in memory. */
  copy(folder: string, to: string): void {
    cpSync(folder, join('/proc', this.#pid, 'root', this.#root, to), { recursive: true });
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
    const clean = [
      'env',
      '-i',
      `HOME=${home}`,
      `PATH=${path}`,
      `USER=${account}`,
      'LANG=C.UTF-8',
      'NO_COLOR=1',
    ];
    const as = ['setpriv', '--reuid', account, '--regid', account, '--init-groups'];
    const args = [
      ...['--target', this.#pid, ...namespaces],
      ...[
        'chroot',
        this.#root,
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
    const { exitCode, signalCode } = this.#keeper;
    if (exitCode === null && signalCode === null) {
      const ended = new Promise((resolve) => this.#keeper.on('exit', resolve));
      this.#keeper.kill('SIGKILL');
      await ended;
    }
    if (existsSync(this.#folder)) rmdirSync(this.#folder);
  }
}
