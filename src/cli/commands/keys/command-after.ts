import { spawn } from 'node:child_process';
import { HkctlError } from '../../../core/errors.ts';
import type { Io } from '../../terminal/io.ts';

/**
 * Runs a command by the shell after a rotation, with the rights of the account that called hkctl. It reads nothing and writes
 * to standard error, since standard output may carry the secret. Throws `command_failed` (exit 1).
 */
export async function runAfterRotation(io: Pick<Io, 'env' | 'withOwnRights'>, command: string): Promise<void> {
  const failure = await new Promise<string | undefined>((resolve) => {
    const child = io.withOwnRights(() =>
      spawn('/bin/sh', ['-c', command], { env: { ...io.env }, stdio: ['ignore', 2, 2] }),
    );
    child.on('error', (thrown) => resolve(`could not be started: ${thrown.message}`));
    child.on('exit', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(code === null ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
  });
  if (failure === undefined) return;
  throw new HkctlError('command_failed', `The rotation stands, but the command after it ${failure}.`, {
    hint: `The new secret is in place; run the command again: ${command}`,
  });
}
