import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { errnoOf } from '../../core/errors.ts';
import type { Io } from './io.ts';

interface ShellCommand {
  command: string;
  /** Variables in addition to those of this process. */
  env?: Readonly<Record<string, string>>;
  /** The command's standard input; empty without. */
  input?: string;
  /** Files that the command makes are for their owner only. */
  isPrivate?: boolean;
}

/**
 * Runs a command by the shell, its output on standard error; returns how it failed, such as "ended with exit code 7", or undefined.
 * A signal that would end this process ends the command instead; the second one kills it.
 */
export async function runShellCommand(
  { env, signals }: Pick<Io, 'env' | 'signals'>,
  shellCommand: ShellCommand,
): Promise<string | undefined> {
  const { input, isPrivate = false } = shellCommand;
  const command = isPrivate ? `umask 077; ${shellCommand.command}` : shellCommand.command;
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const child = spawn('/bin/sh', ['-c', command], {
    env: { ...env, ...shellCommand.env },
    stdio: [stdin, 2, 2],
  });
  // A command may end well without having read all of its input.
  child.stdin?.on('error', (fault) => {
    if (errnoOf(fault) !== 'EPIPE') child.kill('SIGKILL');
  });
  child.stdin?.end(input);

  const stopInterrupts = signals.onInterrupt(createTerminator(child));
  try {
    const [exitCode, signal] = await once(child, 'exit');
    if (exitCode === 0) return undefined;
    return exitCode === null ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return `could not be started: ${reason}`;
  } finally {
    stopInterrupts();
  }
}

function createTerminator(child: ChildProcess): () => void {
  let isAsked = false;
  return () => {
    child.kill(isAsked ? 'SIGKILL' : 'SIGTERM');
    isAsked = true;
  };
}
