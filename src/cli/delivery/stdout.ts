import { HkctlError, isHkctlError } from '../../core/errors.ts';
import type { DeliveredKey, SecretDelivery } from '../../core/keys/issuance.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Context } from '../context.ts';
import { keyJson } from '../terminal/output.ts';

/** Writes each secret alone on a line of standard output, for scripts. */
export function createPlainDelivery(context: Context): SecretDelivery {
  return written(context, (handed) => `${handed.map(({ secret }) => secret).join('\n')}\n`);
}

/** Writes the JSON document of `keys create` or `keys rotate`, secrets included, before the commit. */
export function createJsonDelivery(context: Context, clock: Clock, several: boolean): SecretDelivery {
  return written(context, (handed) => `${toSafeJson(deliveryJson(clock, handed, several))}\n`);
}

/**
 * `{"key","secret"}` by the clock of the store, for a rotation also `revoked`; an array for several keys. Where the secrets
 * went to files, `secret_file` takes the place of `secret`.
 */
export function deliveryJson(
  clock: Clock,
  handed: readonly DeliveredKey[],
  several: boolean,
  files?: ReadonlyMap<string, string>,
): unknown {
  const nowMs = clock();
  const answers = handed.map(({ key, secret, revoked }) => ({
    key: keyJson(key, nowMs),
    ...(files ? { secret_file: files.get(key.id) } : { secret }),
    ...(revoked && { revoked: keyJson(revoked, nowMs) }),
  }));
  return several ? answers : answers[0];
}

/** Refuses a closed standard output and the null device, where the secret would be lost (contract, section 1): `usage`. */
export function requireReader({ io }: Context): void {
  if (!io.stdout.isNull) return;
  throw new HkctlError(
    'usage',
    'Standard output is closed or goes to the null device: nobody would hold the secret. No key was made.',
    { hint: 'Give --secret-file PATH, or send standard output to a file or a pipe.' },
  );
}

function written(context: Context, render: (handed: readonly DeliveredKey[]) => string): SecretDelivery {
  let delivered = false;
  return {
    deliver(handed) {
      const { stdout } = context.io;
      try {
        stdout.write(render(handed));
        stdout.flush();
      } catch (thrown) {
        throw isHkctlError(thrown) ? withoutKey(thrown, handed) : thrown;
      }
      delivered = true;
    },
    complete() {},
    withdraw() {
      if (delivered) context.warn('Nothing was kept: what was just printed opens nothing. Throw it away.');
    },
  };
}

/** The same error with the consequence for the keys. */
function withoutKey({ code, message, hint, cause }: HkctlError, handed: readonly DeliveredKey[]): HkctlError {
  const olds = handed.filter(({ revoked }) => revoked !== null).length;
  const stays = olds === 0 ? '' : olds === 1 ? ' The old one goes on working.' : ' The old ones go on working.';
  return new HkctlError(code, `${message} No key was made.${stays}`, { hint, cause });
}
