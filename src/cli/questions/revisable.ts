import type { Context } from '../command/context.ts';
import { type Asker, type ChoiceGroup, Escaped } from '../terminal/interaction.ts';
import { askerOf } from './values.ts';

/**
 * Runs a function that asks the questions of a command. Esc behind the first question goes one question back. The function runs
 * again with the earlier answers, and the last question offers its former answer.
 */
export async function askRevisably<T>(
  context: Context,
  ask: (context: Context) => Promise<T>,
): Promise<T> {
  if (!context.canAsk) return ask(context);

  const answers = createAnswers();
  const io = { ...context.io, asker: revisableAsker(context, answers) };
  const revisableContext = { ...context, io };
  for (;;) {
    try {
      return await ask(revisableContext);
    } catch (thrown) {
      if (!(thrown instanceof Escaped) || !answers.goBack()) throw thrown;
    }
  }
}

/** An answer as it is shown: a text, or the names of the chosen ones, whose values may be read anew. */
type Answer = readonly string[];

function createAnswers() {
  /** By question, also of those that were taken back; an earlier answer decides which questions follow. */
  const formerAnswers = new Map<string, Answer>();
  let answeredQuestions: string[] = [];
  let position = 0;
  return {
    /** The answer to the next question if it stays, or else the former one, to be offered. */
    next(question: string) {
      const isAnswered = answeredQuestions[position] === question;
      return { answer: formerAnswers.get(question), isAnswered, isFirst: position === 0 };
    },
    add(question: string, answer: Answer) {
      formerAnswers.set(question, answer);
      answeredQuestions[position] = question;
      position++;
    },
    /** Takes the last answer back and begins with the first question again; false if there is none. */
    goBack(): boolean {
      if (position === 0) return false;
      answeredQuestions = answeredQuestions.slice(0, position - 1);
      position = 0;
      return true;
    },
  };
}

function revisableAsker({ io }: Context, answers: ReturnType<typeof createAnswers>): Asker {
  return {
    async text(message, validate, preset) {
      const { answer, isAnswered, isFirst } = answers.next(message);
      const [formerText] = answer ?? [];
      const asker = await askerOf(io, !isFirst);
      const text =
        isAnswered && formerText !== undefined
          ? formerText
          : await asker.text(message, validate, formerText ?? preset);
      answers.add(message, [text]);
      return text;
    },
    async choice(message, choices, preset, facts) {
      const { answer, isAnswered, isFirst } = answers.next(message);
      const formerChoice = choices.find(({ name }) => answer?.includes(name));
      const asker = await askerOf(io, !isFirst);
      const value =
        isAnswered && formerChoice
          ? formerChoice.value
          : await asker.choice(message, choices, formerChoice?.value ?? preset, facts);
      const chosen = choices.filter((choice) => choice.value === value);
      answers.add(
        message,
        chosen.map(({ name }) => name),
      );
      return value;
    },
    async choices(message, groups) {
      const { answer, isAnswered, isFirst } = answers.next(message);
      const offeredGroups = answer ? groups.map((group) => withChecked(group, answer)) : groups;
      const offeredChoices = offeredGroups.flatMap(({ choices }) => choices);
      const asker = await askerOf(io, !isFirst);
      const values = isAnswered
        ? offeredChoices.filter(({ checked }) => checked).map(({ value }) => value)
        : await asker.choices(message, offeredGroups);
      const chosen = offeredChoices.filter(({ value }) => values.includes(value));
      answers.add(
        message,
        chosen.map(({ name }) => name),
      );
      return values;
    },
  };
}

function withChecked<T>({ heading, choices }: ChoiceGroup<T>, names: Answer): ChoiceGroup<T> {
  const checkedChoices = choices.map((choice) => ({
    ...choice,
    checked: names.includes(choice.name),
  }));
  return { heading, choices: checkedChoices };
}
