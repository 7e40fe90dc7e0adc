import type { SecretDelivery } from '../../core/keys/issuance.ts';
import type { Context } from '../command/context.ts';
import type { Io } from '../terminal/io.ts';
import { canDraw } from '../terminal/style.ts';
import { joinedSecrets } from './stdout.ts';

/**
 * Copies a secret to the clipboard of this machine, else to the terminal's by the OSC 52 sequence, which gets no
 * acknowledgement. The returned message claims only what is certain.
 */
export async function copySecret(io: Io, secret: string, terminal = io.stdout): Promise<string> {
  // Over SSH the clipboard of this machine is not the user's.
  const remote = io.env.SSH_CONNECTION !== undefined || io.env.SSH_TTY !== undefined;
  // Any failure means that there is no clipboard; the tools behind it report theirs in many ways.
  const isCopied =
    !remote &&
    (await io.copy(secret).then(
      () => true,
      () => false,
    ));
  if (isCopied) return 'API key copied';
  if (canDraw(io.env, terminal)) {
    terminal.write(`\u001b]52;c;${Buffer.from(secret).toString('base64')}\u0007`);
    return 'Sent to the terminal by OSC 52; if it allows that, the key is on your clipboard. Paste it to be sure.';
  }
  return 'Not copied: there is no clipboard here.';
}

/** Adds a copy to another delivery, which succeeds even without a clipboard. */
export function withCopy(context: Context, inner: SecretDelivery): SecretDelivery {
  return {
    ...inner,
    async deliver(delivered) {
      await inner.deliver(delivered);
      const { io, json } = context;
      // With --json only the document goes to standard output.
      context.say(await copySecret(io, joinedSecrets(delivered), json ? io.stderr : io.stdout));
    },
  };
}
