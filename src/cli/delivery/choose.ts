import { HkctlError } from '../../core/errors.ts';
import { type DeliveredKey, type SecretDelivery, untilVerified } from '../../core/keys/issuance.ts';
import { createFolderDelivery } from '../../core/keys/secret-files/new-files.ts';
import type { Context } from '../command/context.ts';
import { runShellCommand } from '../terminal/shell-command.ts';
import { canDraw } from '../terminal/style.ts';
import { copySecret, createPanelDelivery, fitsPanel, type PanelTexts } from './panel.ts';
import { createOutputDelivery, type JsonOptions, joinedSecrets, requireReader } from './stdout.ts';

interface DeliveryOptions extends PanelTexts, JsonOptions {
  deliver?: string;
  secretDir?: string;
  keys: number;
}

/** Chooses the delivery by flags and environment: a command, a folder, JSON, the panel on a terminal, else plain lines. */
export function chooseDelivery(context: Context, options: DeliveryOptions): SecretDelivery {
  const { deliver, secretDir, keys } = options;
  if (deliver !== undefined) return createCommandDelivery(context, deliver);

  const withOptionalCopy = (delivery: SecretDelivery) =>
    options.copy ? withCopy(context, delivery) : delivery;
  if (secretDir !== undefined) return withOptionalCopy(createFolderDelivery(secretDir));

  requireReader(context);
  if (!context.io.stdout.isTTY) {
    const outputDelivery = createOutputDelivery(context, options);
    return withOptionalCopy(outputDelivery);
  }

  requireNoScrollback(context, keys);
  // The panel copies by itself, to show the outcome.
  return createPanelDelivery(context, options);
}

/** Refuses a terminal without an alternate screen: no secret may stay in the scrollback (promise 1.7). */
function requireNoScrollback(context: Context, keys: number): void {
  const { io, json } = context;
  const refusal = (reason: string, alternative = '--secret-file PATH') =>
    new HkctlError('usage', `${reason} Give ${alternative}, or pipe standard output.`, {
      hint: 'A secret is never left in the scrollback of a terminal.',
    });

  if (json) throw refusal('With --json the secret would stay on this terminal.');
  if (!io.stdinIsTTY)
    throw refusal(
      'Standard input is not a terminal, so the one-time panel could not be dismissed.',
    );
  if (!canDraw(io.env, io.stdout))
    throw refusal('This terminal (TERM) has no alternate screen for the one-time panel.');
  if (!fitsPanel(context, keys))
    throw refusal(`${keys} secrets do not fit on this screen at once.`, '--secret-dir DIR');
}

/** Adds a copy to another delivery, which succeeds even without a clipboard. */
function withCopy(context: Context, innerDelivery: SecretDelivery): SecretDelivery {
  return {
    ...innerDelivery,
    async deliver(delivered) {
      await innerDelivery.deliver(delivered);
      await copyAndSay(context, joinedSecrets(delivered));
    },
  };
}

/** Copies a secret to the clipboard and says how that went. */
export async function copyAndSay(context: Context, secret: string): Promise<void> {
  const { io, json } = context;
  // With --json only the document goes to standard output.
  const terminal = json ? io.stderr : io.stdout;
  context.say(await copySecret(io, secret, terminal));
}

/**
 * Hands each secret to a command on its standard input, one key after the other (promise 1.4). The name and the prefix of
 * the key are in its environment; the secret is in no argument and no variable.
 */
function createCommandDelivery({ io, warn }: Context, command: string): SecretDelivery {
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
