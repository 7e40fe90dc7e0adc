import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { type Outcome, requireOwnLines, startProgram } from '../run-program.ts';

export const root = join(__dirname, '..', '..');
/** The command as people call it; it runs what `npm run build` made. */
export const cli = join(root, 'bin', 'hkctl.js');

export type Environment = Record<string, string>;

/**
 * The environment of a child: those of the tests without what would change hkctl's behaviour behind their back. An empty
 * text takes a variable away.
 */
export function environment(more: Environment): Environment {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(HKCTL_|SUDO_|FORCE_COLOR|VITEST|NODE_)/.test(name),
  );
  const all = Object.entries({ ...Object.fromEntries(kept), NO_COLOR: '1', TZ: 'UTC', ...more });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** A child process whose output is collected as it comes; it fails if Node or a library printed a warning. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  #stdout = '';
  #stderr = '';
  #listeners = new Set<() => void>();

  constructor(
    program: string,
    args: readonly string[],
    options: { env: Environment; cwd?: string; input?: 'pipe' },
  ) {
    const { env, cwd, input } = options;
    this.child = startProgram(program, args, { env, cwd, stdin: input ?? 'ignore' });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#notify();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#notify();
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code, signal) => {
        this.#notify();
        try {
          requireOwnLines(this.#stderr);
          resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr });
        } catch (thrown) {
          reject(thrown);
        }
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Waits until the process has said something that fits; rejects with all it said where it ends or time is up. */
  async says(pattern: RegExp, timeoutMs = 20_000): Promise<RegExpExecArray> {
    const found = () => pattern.exec(this.#stderr) ?? pattern.exec(this.#stdout);
    const deadline = Date.now() + timeoutMs;
    for (let match = found(); ; match = found()) {
      if (match) return match;
      if (this.hasEnded || Date.now() > deadline) {
        throw new Error(`never said ${pattern}:\n${this.#stdout}\n${this.#stderr}`);
      }
      await this.#nextWords(Math.max(1, deadline - Date.now()));
    }
  }

  /** Sends a signal, and SIGKILL to one that does not mind it within the time. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', timeoutMs = 15_000): Promise<Outcome> {
    if (!this.hasEnded) this.child.kill(signal);
    const late = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    const outcome = await this.ended;
    clearTimeout(late);
    return outcome;
  }

  #notify(): void {
    for (const wake of this.#listeners) wake();
  }

  #nextWords(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#listeners.delete(wake);
        clearTimeout(late);
        resolve();
      };
      const late = setTimeout(wake, timeoutMs);
      this.#listeners.add(wake);
    });
  }
}

/** Asks again and again until something is neither false nor undefined; throws with what was awaited when time is up. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 45_000, everyMs = 20 } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await pause(everyMs);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
