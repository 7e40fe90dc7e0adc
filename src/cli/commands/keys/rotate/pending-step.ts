import type { Domain } from '../../../../core/domain/domain.ts';
import { afterChange, HkctlError } from '../../../../core/errors.ts';
import { canonicalPath } from '../../../../core/files/named-path.ts';
import { resumableSteps } from '../../../../core/keys/pending-steps.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { StepOfKey } from '../../../../core/port/pending-steps.ts';
import { redactSecrets } from '../../../../core/secrets.ts';
import type { Context } from '../../../command/context.ts';
import { deliveryStep } from '../../../delivery/flags.ts';
import type { Io } from '../../../terminal/io.ts';
import { namesOf } from '../shown-keys.ts';

interface StepFlags {
  secretFile?: string;
  secretDir?: string;
  exec?: string;
  deliver?: string;
}

/** The step after the commit: the command of `--exec` or, without one, the end of a delivery. */
export function pendingStep(
  context: Context,
  { secretFile, secretDir, exec, deliver }: StepFlags,
): StepOfKey | undefined {
  const delivery = deliver === undefined ? undefined : deliveryStep(context, deliver);
  if (exec === undefined) return delivery;
  const folderPath = secretDir === undefined ? '' : `${canonicalPath(secretDir)}/`;
  const secretPath = secretFile === undefined ? folderPath : canonicalPath(secretFile);
  return { place: delivery?.place ?? secretPath, step: 'exec', command: redactSecrets(exec) };
}

/** Finishes an earlier run that was cut off between its commit and its end. */
export async function completeEarlier(
  context: Context,
  { store }: Domain,
  keys: readonly Key[],
  pending: StepOfKey | undefined,
): Promise<void> {
  const ids = keys.map(({ id }) => id);
  await store.pendingSteps.done(ids, pending?.place ?? '');
  context.say(`An earlier run of the same command has delivered and rotated: ${namesOf(keys)}`);
}

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
  const { runShellCommand } = await import('../../../terminal/shell-command.ts');
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
