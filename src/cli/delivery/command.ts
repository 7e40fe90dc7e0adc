import { HkctlError } from '../../core/errors.ts';
import { type DeliveredKey, type SecretDelivery, untilVerified } from '../../core/keys/issuance.ts';
import type { Context } from '../command/context.ts';
import { runShellCommand } from '../terminal/shell-command.ts';

/**
 * Hands each secret to a command on its standard input, one key after the other (promise 1.4). The name and the prefix of
 * the key are in its environment; the secret is in no argument and no variable.
 */
export function createCommandDelivery({ io, warn }: Context, command: string): SecretDelivery {
  const deliveredKeys: DeliveredKey[] = [];
  return {
    async deliver(delivered) {
      for (const deliveredKey of delivered) {
        const { key, secret, revoked } = deliveredKey;
        const failure = await runShellCommand(io, {
          command,
          env: {
            HKCTL_KEY_NAME: key.name,
            HKCTL_KEY_PREFIX: key.prefix,
          },
          input: `${secret}\n`,
          isPrivate: true,
        });
        if (failure !== undefined) throw commandFailed(deliveredKey, failure, revoked !== null);
        deliveredKeys.push(deliveredKey);
      }
    },
    complete() {},
    withdraw() {
      if (deliveredKeys.length === 0) return;

      warn(`Nothing was kept: what was delivered for ${namesOf(deliveredKeys)} opens nothing.`);
    },
    keep() {
      return `Keep what was delivered for ${namesOf(deliveredKeys)}: ${untilVerified}. The same command, run later, completes the change, or delivers again.`;
    },
  };
}

function commandFailed({ key }: DeliveredKey, failure: string, isRotation: boolean): HkctlError {
  const consequence = isRotation ? 'nothing was rotated' : 'no key was created';
  return new HkctlError(
    'command_failed',
    `The command of --deliver ${failure} for ${key.name}; ${consequence}.`,
    { hint: 'Once it works, run the same command again: it delivers a new secret.' },
  );
}

function namesOf(delivered: readonly DeliveredKey[]): string {
  const names = delivered.map(({ key }) => `${key.name} (${key.prefix})`);
  return names.join(', ');
}
