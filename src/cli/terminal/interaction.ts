import { HkctlError } from '../../core/errors.ts';
import type { Keypress } from './keypress.ts';

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

/** A key, a signal that would end the process, or the end of the input. */
export type ScreenEvent = Keypress | 'signal' | 'end';

/**
 * The alternate screen while it is shown. Our own, since secrets are drawn on it: its lines must leave no trace in the scrollback,
 * whatever the terminal.
 */
export interface Screen {
  /** Draws lines from the top and clears the rows below them; draws them again for each new size of the terminal. */
  draw(linesFor: (columns: number, rows: number) => readonly string[]): void;
  next(): Promise<ScreenEvent>;
  hasMore(): boolean;
  /** Puts an event back, so that {@link next} returns it again. */
  unread(event: ScreenEvent): void;
  close(): void;
}

/** Asks questions, below the command line or on a screen. */
export interface Asker {
  /** Asks for a line of text; `validate` returns a sentence about its fault, and an empty line means the preset. */
  text(
    message: string,
    validate?: (text: string) => string | undefined,
    preset?: string,
  ): Promise<string>;
  /** Asks for one choice, at first the preset. `facts` about the subject stand above the question, each with its label. */
  choice<T>(
    message: string,
    choices: readonly Choice<T>[],
    preset?: T,
    facts?: readonly AskedFact[],
  ): Promise<T>;
  /** Asks for any number of choices under headings, at least one. */
  choices<T>(message: string, groups: readonly ChoiceGroup<T>[]): Promise<T[]>;
}

/** The error of a question that was answered with no, or not at all (exit 130). */
export function cancelled(hint?: string): HkctlError {
  return new HkctlError('cancelled', cancelledText, hint === undefined ? {} : { hint });
}

/** The same by Esc, which goes back to the question before, if there is one. */
export class Escaped extends HkctlError {
  constructor() {
    super('cancelled', cancelledText);
  }
}

const cancelledText = 'Cancelled; nothing was changed.';
