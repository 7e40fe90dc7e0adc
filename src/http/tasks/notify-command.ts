import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Notice } from '../../core/operations/notices.ts';

export interface NotifyCommand {
  /** A command line of the shell. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
  /** After this time it and all that it has started are killed. */
  timeoutMs?: number | undefined;
  /** After this time the next notice is delivered meanwhile. */
  patienceMs?: number;
}

const usualTimeoutMs = 30_000;
const usualPatienceMs = 2_000;
/** Commands that may run at the same time. */
const mostAtOnce = 8;
/** Its report of a fault is logged up to this length. */
const longestComplaint = 500;

/** How a command has failed. */
export interface CommandFault {
  reason: string;
  complaint: string;
}

/** Delivers notices one after the other, as long as the command ends soon; one that hangs delays the others little. */
export function createDeliveries(
  command: NotifyCommand,
  signal: AbortSignal,
  failed: (notice: Notice, fault: CommandFault) => void,
) {
  const { patienceMs = usualPatienceMs } = command;
  const running = new Set<Promise<void>>();

  async function deliver(notice: Notice): Promise<void> {
    // A command that starts now would not hear that the daemon stops.
    if (signal.aborted) return;
    const fault = await runNotifyCommand(command, notice, signal);
    if (fault !== undefined && !signal.aborted) failed(notice, fault);
  }

  return {
    /** Delivers a notice; resolves once the next one may follow. */
    async begin(notice: Notice): Promise<void> {
      const delivery = deliver(notice).finally(() => running.delete(delivery));
      running.add(delivery);
      await Promise.race([delivery, pause(patienceMs, undefined, { ref: false })]);
      if (running.size >= mostAtOnce) await Promise.race(running);
    },
    async finished(): Promise<void> {
      await Promise.all(running);
    },
  };
}

/**
 * Runs the command of `--notify` with a notice as JSON on its standard input; undefined if it has succeeded. It is killed at the
 * end of its time, and when `signal` is aborted.
 */
function runNotifyCommand(
  { command, env, timeoutMs = usualTimeoutMs }: NotifyCommand,
  notice: Notice,
  signal: AbortSignal,
): Promise<CommandFault | undefined> {
  return new Promise((resolve) => {
    // A group of its own, so that what it has started ends with it.
    const child = spawn('/bin/sh', ['-c', command], {
      env: ownEnvironment(env),
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    let isTimeout = false;
    let complaint = '';
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The command has ended meanwhile.
      }
    };
    const late = setTimeout(() => {
      isTimeout = true;
      kill();
    }, timeoutMs);
    const finish = (reason: string | undefined): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', kill);
      child.stderr.destroy();
      resolve(reason === undefined ? undefined : { reason, complaint });
    };
    signal.addEventListener('abort', kill, { once: true });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(0, longestComplaint);
    });
    // The command need not read the notice.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(notice)}\n`);
    child.on('error', (thrown) => finish(`it could not be started: ${thrown.message}`));
    child.on('exit', (code, by) => {
      if (code === 0) finish(undefined);
      else if (isTimeout) finish(`it took longer than ${timeoutMs / 1000} s`);
      else finish(code === null ? `it was ended by ${by}` : `it ended with exit code ${code}`);
    });
  });
}

/** Without what systemd has passed to the daemon alone. */
function ownEnvironment(env: NotifyCommand['env']): NodeJS.ProcessEnv {
  const passedVariables = Object.entries(env).filter(
    ([name]) => !/^(?:LISTEN_|WATCHDOG_|NOTIFY_SOCKET$|JOURNAL_STREAM$)/.test(name),
  );
  return Object.fromEntries(passedVariables);
}
