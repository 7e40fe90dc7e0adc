import type { Domain } from '../../../../core/domain/domain.ts';
import { afterChange, HkctlError } from '../../../../core/errors.ts';
import { resumableSteps } from '../../../../core/keys/pending-steps.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { StepOfKey } from '../../../../core/port/pending-steps.ts';
import type { Context } from '../../../command/context.ts';
import type { Io } from '../../../terminal/io.ts';
import { runShellCommand } from '../../../terminal/shell-command.ts';

interface CommandAfter {
  keys: readonly Key[];
  /** Whether this run has rotated a key. */
  isNew: boolean;
  command: string;
  pending: StepOfKey;
}

/** Runs the command after a rotation, or if that of an earlier one has not succeeded. Throws `command_failed`. */
export async function runCommandDue(
  { io, say }: Pick<Context, 'io' | 'say'>,
  { store }: Pick<Domain, 'store'>,
  { keys, isNew, command, pending }: CommandAfter,
): Promise<void> {
  const ids = keys.map(({ id }) => id);
  if (!isNew) {
    const steps = await store.pendingSteps.list();
    const dueKeys = keys.filter((key) => resumableSteps(steps, key, pending).length > 0);
    if (dueKeys.length === 0) return;

    // This command may correct the one that has failed.
    await store.pendingSteps.put(
      dueKeys.map(({ id }) => id),
      pending,
    );
    say('The command after an earlier rotation has not succeeded yet: it runs again.');
  }
  await runAfterRotation(io, command);
  try {
    await store.pendingSteps.done(ids, pending.place);
  } catch (thrown) {
    const failureMessage =
      'The rotation is committed, and the command after it has succeeded; the next run of the same command repeats it.';
    throw afterChange(thrown, failureMessage);
  }
}

/** Runs a command once the new secret is in place. Throws `command_failed`, also if a signal ended it. */
export async function runAfterRotation(
  io: Pick<Io, 'env' | 'signals'>,
  command: string,
): Promise<void> {
  const failure = await runShellCommand(io, { command });
  if (failure === undefined) return;
  throw new HkctlError(
    'command_failed',
    `The rotation is committed, but the command after it ${failure}.`,
    {
      hint: `The new secret is in place. The next run for the same key and file repeats its --exec, also a corrected one. Or run it yourself: ${command}`,
    },
  );
}
