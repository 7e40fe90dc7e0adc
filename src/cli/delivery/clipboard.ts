import type { SecretDelivery } from '../../core/keys/issuance.ts';
import type { Context } from '../command/context.ts';
import type { Io } from '../terminal/io.ts';
import { canDraw } from '../terminal/style.ts';

/** The outcome of a copy; the message claims only what is certain. */
interface CopyOutcome {
  copied: boolean;
  message: string;
}

/**
 * Copies a secret to the clipboard of this machine, else to the terminal's by the OSC 52 sequence, which gets no
 * acknowledgement.
 */
export async function copySecret(io: Io, secret: string, terminal = io.stdout): Promise<CopyOutcome> {
  // Over SSH the clipboard of this machine is not the user's.
  const remote = io.env.SSH_CONNECTION !== undefined || io.env.SSH_TTY !== undefined;
  if (!remote && (await copiedHere(io, secret))) return { copied: true, message: 'API key copied' };
  if (canDraw(io.env, terminal)) {
    terminal.write(`\u001b]52;c;${Buffer.from(secret).toString('base64')}\u0007`);
    return {
      copied: false,
      message: 'Sent to the terminal by OSC 52; if it allows that, the key is on your clipboard. Paste it to be sure.',
    };
  }
  return { copied: false, message: 'Not copied: there is no clipboard here.' };
}

/** Adds a copy to another delivery, which succeeds even without a clipboard. */
export function withCopy(context: Context, inner: SecretDelivery): SecretDelivery {
  return {
    ...inner,
    async deliver(delivered) {
      await inner.deliver(delivered);
      const secrets = delivered.map(({ secret }) => secret).join('\n');
      const { io, json } = context;
      // With --json only the document goes to standard output.
      context.say((await copySecret(io, secrets, json ? io.stderr : io.stdout)).message);
    },
  };
}

/** Any failure means that there is no clipboard; the tools behind it report theirs in many ways. */
async function copiedHere(io: Io, secret: string): Promise<boolean> {
  return io.copy(secret).then(
    () => true,
    () => false,
  );
}
