import type { Domain } from '../../../../core/domain/domain.ts';
import { afterChange, HkctlError } from '../../../../core/errors.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { Context } from '../../../command/context.ts';
import type { Io } from '../../../terminal/io.ts';
import { runShellCommand } from '../../../terminal/shell-command.ts';

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
      hint: `The new secret is in place. The next run of the same command repeats this, or run it yourself: ${command}`,
    },
  );
}
