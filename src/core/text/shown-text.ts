import { redactSecrets } from '../secrets.ts';

/** A client's text, quoted for a message; secrets are redacted before it is cut to `most` characters. */
export function quotedText(text: string, most = 60): string {
  return JSON.stringify(cutText(redactSecrets(text), most));
}

/** Any value as JSON for a message, or a description if it cannot be written; never throws. */
export function jsonText(value: unknown): string {
  try {
    // There is no JSON of undefined, functions and symbols.
    return JSON.stringify(value) ?? String(value);
  } catch (thrown) {
    // The engine runs out of stack.
    if (thrown instanceof RangeError) return 'a very deeply nested value';
    // A circle, or a BigInt.
    if (thrown instanceof TypeError) return Object.prototype.toString.call(value);
    throw thrown;
  }
}

/**
 * Any value as a text: a text as it is, everything else as JSON. `String(value)` calls methods of the value, and a client's
 * `{"toString":null}` makes it throw.
 */
export function textOfAny(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** Writes characters that could deceive a reader (see {@link trickyIn}) as JSON escapes: JSON keeps its meaning. */
export function printable(text: string): string {
  return text.replace(tricky, (found) =>
    found
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
      .join(''),
  );
}

/** A value as JSON with deceptive characters escaped, after `cleaned` was applied to each text; it parses to that value. */
export function toSafeJson(
  value: unknown,
  indent?: number,
  cleaned = (text: string) => text,
): string {
  const clean = (_name: string, member: unknown) =>
    typeof member === 'string' ? cleaned(member) : member;
  const text = JSON.stringify(value, clean, indent);
  // Outside strings the only such character in JSON is the line break.
  return isTricky(text) ? text.split('\n').map(printable).join('\n') : text;
}

export function isTricky(text: string): boolean {
  return text.search(tricky) !== -1;
}

/** The first character that controls a terminal, changes the direction or is invisible, as `U+202E`. */
export function trickyIn(text: string): string | undefined {
  const [found] = text.match(tricky) ?? [];
  return found && `U+${hex(found.codePointAt(0) ?? 0).toUpperCase()}`;
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

/** Controls, formats, separators, lone surrogates, default-ignorable characters, and the blank of Braille (U+2800). */
const tricky = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** The well-formed text cut to `most` characters (code points), with `…` appended if it was longer. */
export function cutText(text: string, most: number): string {
  // UTF-8 cannot encode lone surrogates: every store and protocol keeps U+FFFD in their place.
  const whole = text.toWellFormed();
  if (whole.length <= most) return whole;
  let end = 0;
  for (let count = 0; count < most && end < whole.length; count++)
    end += (whole.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end < whole.length ? `${whole.slice(0, end)}…` : whole;
}

const few = 5;

export function firstFew(texts: readonly string[]): string[] {
  const rest = texts.length - few;
  return [...texts.slice(0, few), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
