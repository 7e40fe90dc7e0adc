import { HkctlError, isHkctlError } from '../../core/errors.ts';
import type { Context } from '../command/context.ts';
import { type AskedFact, type Asker, cancelled } from '../terminal/interaction.ts';
import type { Io } from '../terminal/io.ts';

/**
 * Asks on the open screen, such as the settings page, else by lines on standard error, which are loaded only then. `goesBack`: help
 * says that Esc goes back.
 */
export async function askerOf(io: Io, goesBack = false): Promise<Asker> {
  if (io.asker !== undefined) return io.asker;

  const { createAsker } = await import('../prompts/prompts.ts');
  return createAsker(io, goesBack);
}

/** Asks for a text that was not given. `rule` throws if it or the answer is not valid; an empty answer means the `preset`. */
export async function textOrAsk(
  { io }: Context,
  givenText: string | undefined,
  question: string,
  rule: (answer: string) => void,
  preset?: string,
): Promise<string> {
  if (givenText !== undefined) {
    rule(givenText);
    return givenText;
  }

  const asker = await askerOf(io);
  return asker.text(question, (answer) => sentenceOf(() => rule(answer)), preset);
}

/**
 * Asks before something that cannot be undone; without `--yes` and off a terminal it is exit 2, a no is exit 130, with a hint if it
 * has one.
 */
export async function requireConfirmation(
  context: Context,
  question: string,
  action: string,
  facts?: readonly AskedFact[],
  cancelHint?: string,
): Promise<void> {
  if (context.asksNothing) return;
  requireConfirmable(context, question);

  // An Enter too many destroys nothing: the safe answer is first, and is selected at the start.
  const choices = [
    { name: 'Cancel', value: false },
    { name: action, value: true },
  ];
  const asker = await askerOf(context.io);
  const answer = await asker.choice(question, choices, false, facts);
  if (!answer) throw cancelled(cancelHint);
  await context.requireUnchangedActor();
}

/** The same for the most destructive commands: the answer has to be typed in full, such as the code of an entity. */
export async function requireTyped(
  context: Context,
  question: string,
  expectedWord: string,
): Promise<void> {
  if (context.asksNothing) return;
  requireConfirmable(context, question);

  const message = `${question} Type ${expectedWord} to confirm, or nothing to cancel`;
  const validate = (typedText: string) => {
    if (typedText === expectedWord || typedText === '') return undefined;
    return `That is not ${expectedWord}. Type nothing to cancel.`;
  };
  const asker = await askerOf(context.io);
  const answer = await asker.text(message, validate);
  if (answer !== expectedWord) throw cancelled();
  await context.requireUnchangedActor();
}

/** Refuses an action that needs a confirmation if there is no terminal to ask and `--yes` is missing (exit 2). */
export function requireConfirmable({ asksNothing, canAsk }: Context, question: string): void {
  if (asksNothing || canAsk) return;

  throw new HkctlError(
    'confirmation_required',
    `This needs --yes, since there is no terminal to ask: ${question}`,
    {
      hint: 'Give --yes to confirm it.',
    },
  );
}

export function messageWithHint({ message, hint }: HkctlError): string {
  const sentences = [message, hint].filter(Boolean);
  return sentences.join(' ');
}

/** Runs a rule that throws on a bad answer; returns its message with the hint, or undefined if the answer is good. */
function sentenceOf(rule: () => void): string | undefined {
  try {
    rule();
    return undefined;
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return messageWithHint(thrown);
  }
}
