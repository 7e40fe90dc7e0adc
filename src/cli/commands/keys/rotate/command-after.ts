import { type ChildProcess, spawn } from 'node:child_process';
import { HkctlError } from '../../../../core/errors.ts';
import type { Io } from '../../../terminal/io.ts';

/**
 * Runs a command by the shell after a rotation, with the rights of the account that called hkctl. It reads nothing and writes
 * to standard error, since standard output may carry the secret. Throws `command_failed` (exit 1), also where a signal ended it.
 */
export async function runAfterRotation(
  { env, withOwnRights, signals }: Pick<Io, 'env' | 'withOwnRights' | 'signals'>,
  command: string,
): Promise<void> {
  const failure = await new Promise<string | undefined>((resolve) => {
    const child = withOwnRights(() => spawn('/bin/sh', ['-c', command], { env: { ...env }, stdio: ['ignore', 2, 2] }));
    const stopInterrupts = signals.onInterrupt(endingOf(child));
    child.on('error', (thrown) => {
      stopInterrupts();
      resolve(`could not be started: ${thrown.message}`);
    });
    child.on('exit', (code, signal) => {
      stopInterrupts();
      if (code === 0) resolve(undefined);
      else resolve(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
  });
  if (failure === undefined) return;
  throw new HkctlError('command_failed', `The rotation stands, but the command after it ${failure}.`, {
    hint: `The new secret is in place; run the command again: ${command}`,
  });
}

/**
 * Ends the command instead of hkctl, so that nobody is left without the message that the rotation stands. A command that
 * ignores the first signal is killed by the second.
 */
function endingOf(child: ChildProcess): () => 'held' {
  let asked = false;
  return () => {
    child.kill(asked ? 'SIGKILL' : 'SIGTERM');
    asked = true;
    return 'held';
  };
}
