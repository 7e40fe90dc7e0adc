import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cli, environment, Running } from '../../e2e/program.ts';
import type { Outcome } from '../../run-program.ts';

/** A number that no account of the machine has. */
export const stranger = 64_124;

/** A folder of root and one for the store of another account, and what root runs there. */
export class TwoAccounts {
  readonly base = mkdtempSync(join(tmpdir(), 'hkctl-rights-'));
  /** The folder of the store; a test gives it to the other account. */
  readonly state = join(this.base, 'state');
  /** The folder of root. */
  readonly admin = join(this.base, 'admin');
  readonly #started: Running[] = [];

  constructor() {
    chmodSync(this.base, 0o755);
    for (const folder of [this.state, this.admin]) mkdirSync(folder, { mode: 0o700 });
  }

  /** Starts a program of Node, which is killed at the end of the test. */
  start(argv: readonly string[], env: Record<string, string>, input?: 'pipe'): Running {
    const running = new Running(process.execPath, [...argv], { env: environment(env), input });
    this.#started.push(running);
    return running;
  }

  /** Starts hkctl as root. */
  hkctl(argv: readonly string[], store = join(this.state, 'hkctl.db'), input?: 'pipe'): Running {
    return this.start([cli, ...argv], { HKCTL_STORE: store, HKCTL_USER: 'root' }, input);
  }

  run(argv: readonly string[], store?: string): Promise<Outcome> {
    return this.hkctl(argv, store).ended;
  }

  /** Runs a command that must end well. */
  async ok(argv: readonly string[]): Promise<Outcome> {
    const outcome = await this.run(argv);
    expect(outcome.code, `${argv.join(' ')}: ${outcome.stderr}`).toBe(0);
    return outcome;
  }

  async close(): Promise<void> {
    for (const running of this.#started) await running.stop('SIGKILL');
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** The accounts that own something in a folder. */
export const ownersIn = (folder: string) => [
  ...new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      (name) => lstatSync(join(folder, name)).uid,
    ),
  ),
];

/** Real, effective, saved and file-system id of every thread of a process. */
export const idsOf = (pid: number | undefined) => [
  ...new Set(
    readdirSync(`/proc/${pid}/task`).map((task) =>
      /^Uid:\t(.*)$/m
        .exec(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))?.[1]
        ?.replaceAll('\t', ' '),
    ),
  ),
];

/** A port that nobody has. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : 0),
      );
    });
  });
}

/** The status of an answer, whoever has signed the certificate. */
export function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
