import { HkctlError } from '../../core/errors.ts';

export interface Choice<T> {
  name: string;
  value: T;
  description?: string;
  checked?: boolean;
}

export interface ChoiceGroup<T> {
  heading: string;
  choices: readonly Choice<T>[];
}

export type AskedFact = readonly [label: string, value: string];

/** Asks questions on a screen that a part of the program has open, such as the settings page, instead of on standard error. */
export interface Asker {
  text(message: string, validate: (text: string) => string | undefined, preset?: string): Promise<string>;
  /** `facts` stand above the question: what is asked about, each with its label. */
  choice<T>(message: string, choices: readonly Choice<T>[], preset?: T, facts?: readonly AskedFact[]): Promise<T>;
  choices<T>(message: string, groups: readonly ChoiceGroup<T>[]): Promise<T[]>;
  /** Gives the terminal to another screen, such as the one-time panel; the returned function takes it back. */
  lendTerminal(): () => void;
}

/** The error of a question that was answered with no, or not at all (exit 130). */
export function cancelled(): HkctlError {
  return new HkctlError('cancelled', 'Cancelled; nothing was changed.');
}
