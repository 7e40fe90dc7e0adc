import { HkctlError } from '../../core/errors.ts';
import { wordList } from '../../core/text/words.ts';
import type { Context } from '../command/context.ts';
import { canAsk } from '../terminal/io.ts';
import { sentenceOf } from '../terminal/sentence.ts';

/** Asks for a value that was not given, on a terminal; elsewhere exit 2 with the flag's name. */
export async function valueOrAsk<T>(
  context: Context,
  given: T | undefined,
  flag: string,
  ask: () => Promise<T>,
): Promise<T> {
  requireGiven(context, { [flag]: given });
  return given ?? ask();
}

interface TextQuestion {
  flag: string;
  question: string;
  /** Throws if the answer is not valid. */
  rule(answer: string): void;
  /** What an empty answer means. */
  preset?: string;
}

export function textOrAsk(
  context: Context,
  given: string | undefined,
  { flag, question, rule, preset }: TextQuestion,
): Promise<string> {
  return valueOrAsk(context, given, flag, async () => {
    const { askText } = await import('../prompts/prompts.ts');
    return askText(context.io, question, (answer) => sentenceOf(() => rule(answer)), preset);
  });
}

/**
 * If nothing can be asked, throws `usage` with every flag that was not given, so that all are reported at once. `values` are
 * what was given, by flag.
 */
export function requireGiven(context: Pick<Context, 'io' | 'json'>, values: Readonly<Record<string, unknown>>): void {
  if (canAsk(context.io) && !context.json) return;
  const missing = missingOf(values);
  if (missing.length === 0) return;
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new HkctlError('usage', `${wordList(missing, 'and')} ${are} missing.`, {
    hint: context.io.asksNothing
      ? `With --yes nothing is asked: give ${them}.`
      : `Give ${them}; hkctl asks only on a terminal, without --json.`,
  });
}

export function missingOf(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((name) => values[name] === undefined);
}
