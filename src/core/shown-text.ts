import { cutText } from './bounded-text.ts';
import { redactSecrets } from './secrets.ts';

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
 * A text without characters that would play tricks on a terminal, controls and what turns the direction of a line: each is
 * written as its number.
 */
export function printable(text: string): string {
  return text.replace(tricky, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Whether there is any such character in a text. */
export function isTricky(text: string): boolean {
  return text.search(tricky) !== -1;
}

const tricky = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
