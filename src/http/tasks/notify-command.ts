import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Notice } from '../../core/operations/notices.ts';

export interface NotifyCommand {
  /** A command line of the shell. */
  command: string;
  env: Readonly<Record<string, string | undefined>>;
  /** After this time the command and its child processes are killed. */
  timeoutMs?: number | undefined;
  /** After this time the next notice is delivered meanwhile. */
  patienceMs?: number;
}

const usualTimeoutMs = 30_000;
const usualPatienceMs = 2_000;
/** Commands that may run at the same time. */
const maxRunning = 8;
/** Its report of a fault is logged up to this length. */
const maxComplaintLength = 500;

/** How a command has failed. */
export interface CommandFault {
  reason: string;
  complaint: string;
}

type FailedDelivery = (fault: CommandFault) => Promise<void>;

const daemonEnds: CommandFault = { reason: 'the daemon ends', complaint: '' };

/** Delivers notices one after the other, as long as the command ends soon; a command that hangs delays the next little. */
export function createDeliveries(command: NotifyCommand, signal: AbortSignal) {
  const { patienceMs = usualPatienceMs } = command;
  const runningDeliveries = new Set<Promise<void>>();

  async function deliver(notice: Notice, failed: FailedDelivery): Promise<void> {
    // A command that starts now would not hear that the daemon stops.
    const fault = signal.aborted ? daemonEnds : await runNotifyCommand(command, notice, signal);
    if (fault !== undefined) await failed(fault);
  }

  return {
    /** Delivers a notice; resolves once the next one may follow. */
    async begin(notice: Notice, failed: FailedDelivery): Promise<void> {
      const delivery = deliver(notice, failed).finally(() => runningDeliveries.delete(delivery));
      runningDeliveries.add(delivery);
      await Promise.race([delivery, pause(patienceMs, undefined, { ref: false })]);
      if (runningDeliveries.size >= maxRunning) await Promise.race(runningDeliveries);
    },
    async finished(): Promise<void> {
      await Promise.all(runningDeliveries);
    },
  };
}

/**
 * Runs the command of `--notify` with a notice as JSON on its standard input; undefined if it has succeeded. The command is
 * killed after its timeout, and when `signal` is aborted.
 */
function runNotifyCommand(
  { command, env, timeoutMs = usualTimeoutMs }: NotifyCommand,
  notice: Notice,
  signal: AbortSignal,
): Promise<CommandFault | undefined> {
  return new Promise((resolve) => {
    // A process group of its own, so that its child processes end with it.
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
    const timeoutTimer = setTimeout(() => {
      isTimeout = true;
      kill();
    }, timeoutMs);

    const finish = (reason: string | undefined): void => {
      clearTimeout(timeoutTimer);
      signal.removeEventListener('abort', kill);
      child.stderr.destroy();
      resolve(reason === undefined ? undefined : { reason, complaint });
    };

    signal.addEventListener('abort', kill, { once: true });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(0, maxComplaintLength);
    });
    // The command need not read the notice.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(notice)}\n`);
    child.on('error', (thrown) => finish(`it could not be started: ${thrown.message}`));
    child.on('exit', (code, signalName) => {
      if (code === 0) finish(undefined);
      else if (isTimeout) finish(`it took longer than ${timeoutMs / 1000} s`);
      else
        finish(code === null ? `it was ended by ${signalName}` : `it ended with exit code ${code}`);
    });
  });
}

/** The environment without the variables that systemd has passed to the daemon alone. */
function ownEnvironment(env: NotifyCommand['env']): NodeJS.ProcessEnv {
  const passedVariables = Object.entries(env).filter(
    ([name]) => !/^(?:LISTEN_|WATCHDOG_|NOTIFY_SOCKET$|JOURNAL_STREAM$)/.test(name),
  );
  return Object.fromEntries(passedVariables);
}
