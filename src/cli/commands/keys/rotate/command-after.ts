import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Domain } from '../../../../core/domain/domain.ts';
import { afterChange, HkctlError } from '../../../../core/errors.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { Context } from '../../../command/context.ts';
import type { Io } from '../../../terminal/io.ts';

/** Runs the command after a rotation (`isNew`), or if it has not succeeded after an earlier one. Throws `command_failed`. */
export async function runCommandDue(
  { io, say }: Pick<Context, 'io' | 'say'>,
  { store }: Pick<Domain, 'store'>,
  {
    keys,
    isNew,
    command,
    digest,
  }: { keys: readonly Key[]; isNew: boolean; command: string; digest: string },
): Promise<void> {
  const ids = keys.map(({ id }) => id);
  if (!isNew) {
    if ((await store.commands.due(ids, digest)).length === 0) return;
    say('The command after an earlier rotation has not succeeded yet: it runs again.');
  }
  await runAfterRotation(io, command);
  try {
    await store.commands.done(ids, digest);
  } catch (thrown) {
    const committed =
      'The rotation is committed, and the command after it has succeeded; the next run of the same command repeats it.';
    throw afterChange(thrown, committed);
  }
}

/** Runs a command by the shell, its output on standard error. Throws `command_failed`, also if a signal ended it. */
export async function runAfterRotation(
  { env, signals }: Pick<Io, 'env' | 'signals'>,
  command: string,
): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], { env: { ...env }, stdio: ['ignore', 2, 2] });
  const stopInterrupts = signals.onInterrupt(endingOf(child));
  const failure = await once(child, 'exit')
    .then(
      ([code, signal]) =>
        code !== 0 && (code === null ? `was ended by ${signal}` : `ended with exit code ${code}`),
    )
    .catch((thrown: Error) => `could not be started: ${thrown.message}`)
    .finally(stopInterrupts);
  if (failure === false) return;
  throw new HkctlError(
    'command_failed',
    `The rotation is committed, but the command after it ${failure}.`,
    {
      hint: `The new secret is in place. The next run of the same command repeats this, or run it yourself: ${command}`,
    },
  );
}

/** Ends the command instead of hkctl, which reports that the rotation stands; the second signal kills it. */
function endingOf(child: ChildProcess): () => void {
  let asked = false;
  return () => {
    child.kill(asked ? 'SIGKILL' : 'SIGTERM');
    asked = true;
  };
}
