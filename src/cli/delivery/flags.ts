import { HkctlError } from '../../core/errors.ts';
import type { StepOfKey } from '../../core/port/pending-steps.ts';
import { redactSecrets } from '../../core/secrets.ts';
import type { Context } from '../command/context.ts';
import { textFlag } from '../command/flags.ts';

/** The way of a secret into a pipe, for those who give `-` as a file. */
export const pipeAdvice =
  'Without this flag, a pipe gets the secret on standard output; --deliver COMMAND hands it to a command.';

/** `--deliver`, with its description in the help of a command. */
export function deliverFlag(doc: string) {
  return textFlag('--deliver <COMMAND>', doc);
}

/** The pending step of a delivery. The account is part of it, so that no account completes the delivery of another. */
export function deliveryStep({ io }: Pick<Context, 'io'>, command: string): StepOfKey {
  const commandOfAccount = `${io.osAccount}: ${redactSecrets(command)}`;
  return { place: commandOfAccount, step: 'deliver', command: commandOfAccount };
}

/** The secret goes to one place. Throws `usage` for a second one. */
export function requireOnePlace(flags: {
  deliver?: string;
  secretFile?: string;
  secretDir?: string;
  copy: boolean;
}): void {
  const chosenFlags = [
    flags.deliver !== undefined && '--deliver',
    flags.secretFile !== undefined && '--secret-file',
    flags.secretDir !== undefined && '--secret-dir',
    flags.deliver !== undefined && flags.copy && '--copy',
  ].filter((flag) => flag !== false);
  if (chosenFlags.length < 2) return;

  const firstFlags = chosenFlags.slice(0, 2);
  throw new HkctlError('usage', `Give ${firstFlags.join(' or ')}, not both.`);
}
