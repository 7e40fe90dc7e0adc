import { HkctlError } from '../../core/errors.ts';
import type { Context } from '../command/context.ts';
import { type AskedFact, cancelled } from '../terminal/asker.ts';
import { canAsk } from '../terminal/io.ts';

/** Asks before something that cannot be undone; without `--yes` and off a terminal it is exit 2, a no is exit 130. */
export async function requireConfirmation(
  context: Context,
  question: string,
  action: string,
  facts?: readonly AskedFact[],
): Promise<void> {
  if (context.io.asksNothing) return;
  requireConfirmable(context, question);
  const { askChoice } = await import('../prompts/prompts.ts');
  // An Enter too many destroys nothing: the safe answer is first, and is selected at the start.
  const choices = [
    { name: 'Cancel', value: false },
    { name: action, value: true },
  ];
  const answer = await askChoice(context.io, question, choices, false, facts);
  if (!answer) throw cancelled();
  await context.requireUnchangedActor();
}

/** The same for the most destructive commands: the answer has to be typed in full, such as the code of an entity. */
export async function requireTyped(context: Context, question: string, word: string): Promise<void> {
  if (context.io.asksNothing) return;
  requireConfirmable(context, question);
  const { askText } = await import('../prompts/prompts.ts');
  const message = `${question} Type ${word} to confirm, or nothing to cancel`;
  const answer = await askText(context.io, message, (given) =>
    given === word || given === '' ? undefined : `That is not ${word}. Type nothing to cancel.`,
  );
  if (answer !== word) throw cancelled();
  await context.requireUnchangedActor();
}

/** Refuses what needs a confirmation if there is no terminal to ask and `--yes` is missing (exit 2). */
export function requireConfirmable({ io, json }: Context, question: string): void {
  if (io.asksNothing || (canAsk(io) && !json)) return;
  throw new HkctlError('confirmation_required', `This needs --yes, since there is no terminal to ask: ${question}`, {
    hint: 'Give --yes to confirm it.',
  });
}
