import { emitKeypressEvents, type Interface } from 'node:readline';
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
  /** Asks for a line of text; `validate` returns what is wrong with it, and an empty one means the preset. */
  text(
    message: string,
    validate?: (text: string) => string | undefined,
    preset?: string,
  ): Promise<string>;
  /** Asks for one choice, at first the preset. `facts` stand above the question: what is asked about, each with its label. */
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
export function cancelled(): HkctlError {
  return new HkctlError('cancelled', 'Cancelled; nothing was changed.');
}

/** A pressed key: its name (`return`, `escape`, `up`, `c` …) and the text it typed. */
export interface Keypress {
  name: string;
  text: string;
  ctrl: boolean;
  /** Alt was held or Esc came just before: a terminal sends the same for both. */
  meta: boolean;
  sequence: string;
}

/** How long an Esc waits for the rest of a key that begins with the same character, such as an arrow key. */
const escapeMs = 100;

/** Calls back for each pressed key; returns a function that stops this. */
export function onKeypress(
  input: NodeJS.ReadableStream,
  listener: (key: Keypress) => void,
): () => void {
  // Node reads only this member of the interface. Without it Esc takes effect after half a second.
  emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
  const listen = (text: string | undefined, key: Partial<Keypress>) => {
    const { name = text ?? '', ctrl = false, meta = false, sequence = '' } = key;
    listener({ name, text: text ?? '', ctrl, meta, sequence });
  };
  input.on('keypress', listen);
  return () => input.off('keypress', listen);
}

/**
 * Whether a key means Cancel in every question: Esc, Ctrl-C or Ctrl-D. A character typed right after Esc arrives together
 * with it as one key and counts as Esc. Only the sequences of special keys, such as arrows, begin with Esc themselves (CSI
 * and SS3).
 */
export function isCancelKey({ name, ctrl, sequence }: Keypress): boolean {
  if (ctrl && (name === 'c' || name === 'd')) return true;
  return sequence.startsWith('\u001b') && sequence[1] !== '[' && sequence[1] !== 'O';
}

export function isEnter({ name }: Keypress): boolean {
  return name === 'return' || name === 'enter';
}
