import { emitKeypressEvents, type Interface } from 'node:readline';

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
  const onKey = (text = '', key: Partial<Keypress>) => {
    listener({
      name: key.name ?? text,
      text,
      ctrl: key.ctrl ?? false,
      meta: key.meta ?? false,
      sequence: key.sequence ?? '',
    });
  };
  input.on('keypress', onKey);
  return () => input.off('keypress', onKey);
}

/**
 * Whether a key means Cancel in every question: Esc, Ctrl-C or Ctrl-D. A character typed right after Esc arrives together
 * with it as one key and counts as Esc. Only the sequences of special keys, such as arrows, begin with Esc themselves (CSI
 * and SS3).
 */
export function isCancelKey({ name, ctrl, sequence }: Keypress): boolean {
  if (ctrl && (name === 'c' || name === 'd')) return true;

  const isSpecialKey = sequence[1] === '[' || sequence[1] === 'O';
  return sequence.startsWith('\u001b') && !isSpecialKey;
}

export function isEnter({ name }: Keypress): boolean {
  return name === 'return' || name === 'enter';
}

/** Whether a key types text: no control character, and no key that only has a name. */
export function isTyped({ ctrl, meta, text }: Keypress): boolean {
  return !ctrl && !meta && /^[^\p{Cc}]+$/u.test(text);
}
