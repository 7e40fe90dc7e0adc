import { emitKeypressEvents, type Interface } from 'node:readline';
import type { Input } from './io.ts';

/** A pressed key: its name (`return`, `escape`, `up`, `c` …) and the text it typed. */
export interface Keypress {
  name: string;
  text: string;
  ctrl: boolean;
  /** Alt was held or Esc came just before: a terminal sends the same for both. */
  meta: boolean;
  /** What the terminal sent for it. */
  sequence: string;
}

/** How long an Esc waits for the rest of a key that begins with the same character, such as an arrow key. */
const escapeMs = 100;

/** Calls back for each key that is pressed, from now on; returns how to stop that. */
export function onKeypress(input: Input, listener: (key: Keypress) => void): () => void {
  // Of an interface only this is read; without it Esc takes effect after half a second.
  emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
  const heard = (text: string | undefined, key: Partial<Keypress>) => {
    const { name = text ?? '', ctrl = false, meta = false, sequence = '' } = key;
    listener({ name, text: text ?? '', ctrl, meta, sequence });
  };
  input.on('keypress', heard);
  return () => input.off('keypress', heard);
}

/**
 * Whether a key means Cancel in every question: Esc, Ctrl-C or Ctrl-D. What is typed right after an Esc arrives with it as
 * one key, and is the Esc; only keys of several characters, such as arrows, begin like that by themselves (CSI and SS3).
 */
export function isCancelKey({ name, ctrl, sequence }: Keypress): boolean {
  if (ctrl && (name === 'c' || name === 'd')) return true;
  return sequence.startsWith('\u001b') && sequence[1] !== '[' && sequence[1] !== 'O';
}
