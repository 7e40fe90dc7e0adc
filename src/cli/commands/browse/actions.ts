import { errorTable, isHkctlError } from '../../../core/errors.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import { readFlags } from '../../command/flags.ts';
import { runCommand } from '../../command/running.ts';
import { messageWithHint } from '../../questions/values.ts';
import { create } from '../keys/create.ts';
import { revoke } from '../keys/revoke.ts';
import { rotate } from '../keys/rotate/rotate.ts';

const keyActions = {
  create: { command: create, done: 'API key created' },
  rotate: { command: rotate, done: 'API key rotated' },
  revoke: { command: revoke, done: 'API key revoked' },
} as const;

/** Runs a command on a key, or `create` without one, as if it had been typed without flags; returns the message of success. */
export async function runAction(
  context: Context,
  actionName: keyof typeof keyActions,
  baseUrl: string | undefined,
  key?: Key,
): Promise<string> {
  const { command, done } = keyActions[actionName];
  const flags = readFlags(command.flags, { baseUrl }, {});
  const refs = key ? [key.prefix] : [];
  await runCommand({ ...context, confirm() {} }, command, flags, refs);
  return done;
}

/** Opens the documents in a browser; returns a message, which shows the address if there is no browser, as over SSH. */
export async function openDocumentation({ io }: Context, url: string): Promise<string> {
  return io.open(url).then(
    () => `Opened ${url}`,
    () => `Documentation: ${url}`,
  );
}

interface ActionOutcome {
  isDone: boolean;
  message: string;
}

/** Whether an action was done, and the message for that; only a store that cannot be used ends the page (exit 6). */
export async function outcomeOf(
  action: Promise<string>,
  cancelledMessage?: string,
): Promise<ActionOutcome> {
  try {
    return { isDone: true, message: await action };
  } catch (thrown) {
    if (!isHkctlError(thrown) || errorTable[thrown.code].exit === 6) throw thrown;
    const isCancelled = thrown.code === 'cancelled';
    const message = (isCancelled && cancelledMessage) || messageWithHint(thrown);
    return { isDone: false, message };
  }
}
