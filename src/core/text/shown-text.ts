import { redactSecrets } from '../keys/secrets.ts';
import { cutText } from './bounded-text.ts';

/** A text of a client's in a message: quoted, without a secret that strayed into it, and cut short only then. */
export function quotedText(text: string, most = 60): string {
  return JSON.stringify(cutText(redactSecrets(text), most));
}

/** A value as JSON, for a message; what is nested too deeply for that is said to be so. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    // The engine runs out of stack.
    if (thrown instanceof RangeError) return 'what is nested very deeply';
    throw thrown;
  }
}

/**
 * A text without characters that would play tricks on a terminal or a reader (see {@link trickyIn}): each is written as its
 * number, in the manner of JSON, so that a document in JSON stays the same document.
 */
export function printable(text: string): string {
  return text.replace(tricky, (found) =>
    found
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
      .join(''),
  );
}

/** A value as JSON in which no character can play tricks; it reads as the same value, with each text `cleaned`. */
export function toSafeJson(value: unknown, indent?: number, cleaned = (text: string) => text): string {
  const clean = (_name: string, member: unknown) => (typeof member === 'string' ? cleaned(member) : member);
  const text = JSON.stringify(value, clean, indent);
  // Outside of strings JSON has no character of these but the line break.
  return isTricky(text) ? text.split('\n').map(printable).join('\n') : text;
}

/** Whether there is any such character in a text. */
export function isTricky(text: string): boolean {
  return text.search(tricky) !== -1;
}

/**
 * The first character of a text that controls a terminal, turns the direction of a line, or cannot be seen, as `U+202E`: with
 * any of them one name can be made to look like another.
 */
export function trickyIn(text: string): string | undefined {
  const [found] = text.match(tricky) ?? [];
  return found && `U+${hex(found.codePointAt(0) ?? 0).toUpperCase()}`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

/**
 * By the properties of Unicode: controls, format characters (directions, zero width, tags), line and paragraph separators,
 * lone surrogates, and what is shown as nothing (fillers, variation selectors); the blank of Braille is none of these.
 */
const tricky = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
