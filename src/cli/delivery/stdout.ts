import { HkctlError, isHkctlError } from '../../core/errors.ts';
import { type DeliveredKey, type SecretDelivery, untilVerified } from '../../core/keys/issuance.ts';
import type { Key } from '../../core/port/keys.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Context } from '../command/context.ts';
import { keyJson } from '../command/output.ts';

export interface JsonOptions {
  /** The store's clock, which decides whether a key is active. */
  clock: Clock;
  several: boolean;
  /** Keys that are not rotated; the JSON names them, too. */
  kept?: readonly Key[];
}

/** Writes secrets to standard output before the commit: each alone on a line, for scripts, or the JSON document of the command. */
export function createOutputDelivery(
  context: Context,
  { clock, several, kept = [] }: JsonOptions,
): SecretDelivery {
  let isDelivered = false;
  return {
    deliver(delivered) {
      const jsonOutput = () => {
        const answers = [...delivered.map(answerOf), ...kept.map(unrotated)];
        const document = deliveryJson(clock(), answers, several);
        return toSafeJson(context.chosen(document));
      };
      const output = context.json ? jsonOutput() : joinedSecrets(delivered);
      try {
        context.io.stdout.write(`${output}\n`);
        context.io.stdout.flush();
      } catch (thrown) {
        throw isHkctlError(thrown) ? withoutKey(thrown, delivered) : thrown;
      }
      isDelivered = true;
    },
    complete() {},
    withdraw() {
      if (isDelivered)
        context.warn('Nothing was kept: what was just printed opens nothing. Throw it away.');
    },
    keep: () => `Keep what was just printed: ${untilVerified}`,
  };
}

export function joinedSecrets(delivered: readonly DeliveredKey[]): string {
  return delivered.map(({ secret }) => secret).join('\n');
}

/** A key in the JSON of `keys create` or `keys rotate`: the secret, or the file that it went to, and the key it replaces. */
interface KeyAnswer {
  key: Key;
  secret?: string;
  secretFile?: string | undefined;
  /** Null for a key that was not rotated; absent for a new one. */
  revoked?: Key | null;
}

/** `{"key","secret"}`, or `secret_file` in its place; `revoked` for a rotation, null for a key that was not rotated. */
export function deliveryJson(
  nowMs: number,
  answers: readonly KeyAnswer[],
  several: boolean,
): unknown {
  const keyDocuments = answers.map(({ key, secret, secretFile, revoked }) => ({
    key: keyJson(key, nowMs),
    // JSON leaves out undefined members.
    secret,
    secret_file: secretFile,
    revoked: revoked && keyJson(revoked, nowMs),
  }));
  return several ? keyDocuments : keyDocuments[0];
}

function answerOf({ key, secret, revoked }: DeliveredKey): KeyAnswer {
  return { key, secret, ...(revoked && { revoked }) };
}

export function unrotated(key: Key): KeyAnswer {
  return { key, revoked: null };
}

/**
 * Refuses a standard output in which the secret would be lost (promise 1.4): a closed one, the null device, and JSON of which
 * `--json FIELD,…` leaves it out: `usage`.
 */
export function requireReader({ io, fields }: Context): void {
  if (fields !== undefined && !fields.includes('secret')) {
    throw new HkctlError(
      'usage',
      `--json ${fields.join(',')} leaves out the secret, which would be lost. No key was made.`,
      { hint: `Give --json ${[...fields, 'secret'].join(',')}, or --secret-file PATH.` },
    );
  }
  if (!io.stdout.isNull) return;
  throw new HkctlError(
    'usage',
    'Standard output is closed or goes to the null device: the secret would be lost. No key was made.',
    { hint: 'Give --secret-file PATH, or send standard output to a file or a pipe.' },
  );
}

function withoutKey(
  { code, message, hint, cause }: HkctlError,
  delivered: readonly DeliveredKey[],
): HkctlError {
  const replacedKeys = delivered.filter(({ revoked }) => revoked !== null);
  const sentences = `${message} No key was made.${oldKeysSentence(replacedKeys.length)}`;
  return new HkctlError(code, sentences, { hint, cause });
}

function oldKeysSentence(replacedCount: number): string {
  if (replacedCount === 0) return '';

  return replacedCount === 1
    ? ' The old one continues to work.'
    : ' The old ones continue to work.';
}
