import { redactSecrets } from '../secrets.ts';

/** A client's text, quoted for a message; secrets are redacted before it is cut to `maxLength` characters. */
export function quotedText(text: string, maxLength = 60): string {
  return JSON.stringify(cutText(redactSecrets(text), maxLength));
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
    if (thrown instanceof TypeError) {
      return Object.prototype.toString.call(value);
    }
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
  return replaceTricky(text, (character) =>
    character
      .split('')
      .map((unit) => `\\u${hexOf(unit.charCodeAt(0))}`)
      .join(''),
  );
}

/** Typed text, in quotes for a message, with the numbers of invisible characters: `"A<U+200B>1"`. */
export function quotedName(text: string): string {
  const shownText = cutText(redactSecrets(text), 80);
  return `"${replaceTricky(shownText, (character) => `<${numberOf(character)}>`)}"`;
}

/** A value as JSON with deceptive characters escaped, after `cleanText` was applied to each text; it parses to that value. */
export function toSafeJson(
  value: unknown,
  indent?: number,
  cleanText = (text: string) => text,
): string {
  const cleanMember = (_name: string, member: unknown) =>
    typeof member === 'string' ? cleanText(member) : member;
  const json = JSON.stringify(value, cleanMember, indent);
  // Outside strings the only such character in JSON is the line break.
  if (!isTricky(json)) return json;
  return json.split('\n').map(printable).join('\n');
}

export function isTricky(text: string): boolean {
  return trickyIn(text) !== undefined;
}

/**
 * The first character that controls a terminal, changes the direction or is invisible, as `U+202E`. Joiners and selectors do not
 * count within an emoji or a script that needs them.
 */
export function trickyIn(text: string): string | undefined {
  if (text.search(trickyPattern) === -1) return undefined;
  const [character] = text.replace(meaningfulPattern, '').match(trickyPattern) ?? [];
  return character && numberOf(character);
}

/** The first character that no code and no id may have: as {@link trickyIn}, and every joiner and selector. */
export function invisibleIn(text: string): string | undefined {
  const [character] = text.match(trickyPattern) ?? [];
  return character && numberOf(character);
}

function replaceTricky(text: string, replacementOf: (character: string) => string): string {
  if (text.search(trickyPattern) === -1) return text;
  return text.replace(
    trickyUnlessMeaningful,
    (character, meaningfulCharacter) => meaningfulCharacter ?? replacementOf(character),
  );
}

function numberOf(character: string): string {
  return `U+${hexOf(character.codePointAt(0) ?? 0).toUpperCase()}`;
}

function hexOf(codePoint: number): string {
  return codePoint.toString(16).padStart(4, '0');
}

/** Controls, formats, separators, lone surrogates, default-ignorable characters, and the blank of Braille (U+2800). */
const trickyCharacter =
  '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800]';
const trickyPattern = new RegExp(trickyCharacter, 'gu');

/** Scripts in which a joiner between two letters changes how they are written (RFC 5892, appendix A). */
const joiningScripts = [
  ...[
    'Arabic',
    'Syriac',
    'Mongolian',
    'Nko',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
  ],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
];
const joiningLetter = `[${joiningScripts.map((script) => `\\p{Script=${script}}`).join('')}]`;

/** Joiners, selectors and tags where they have a meaning that a reader sees. */
const meaningfulSequence = [
  // Emoji in colour or as text, and the digits of keycaps (UTS #51).
  '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  // A family, a profession: several emoji that are one.
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
  // The flags of England, Scotland and Wales.
  '(?<=\\u{1f3f4})[\\u{e0061}-\\u{e007a}]{2,6}\\u{e007f}',
  `(?<=${joiningLetter})[\\u200c\\u200d](?=${joiningLetter})`,
  '(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]',
  // Variants of ideographs.
  '(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
].join('|');
const meaningfulPattern = new RegExp(meaningfulSequence, 'gu');
const trickyUnlessMeaningful = new RegExp(`(${meaningfulSequence})|${trickyCharacter}`, 'gu');

/** The well-formed text cut to `maxLength` characters (code points), with `…` appended if it was longer. */
export function cutText(text: string, maxLength: number): string {
  // UTF-8 cannot encode lone surrogates: every store and protocol keeps U+FFFD in their place.
  const wellFormed = text.toWellFormed();
  if (wellFormed.length <= maxLength) return wellFormed;

  let cutAt = 0;
  for (let count = 0; count < maxLength && cutAt < wellFormed.length; count++) {
    cutAt += (wellFormed.codePointAt(cutAt) ?? 0) > 0xffff ? 2 : 1;
  }
  return cutAt < wellFormed.length ? `${wellFormed.slice(0, cutAt)}…` : wellFormed;
}

const fewCount = 5;

export function firstFew(texts: readonly string[]): string[] {
  const firstTexts = texts.slice(0, fewCount);
  const remaining = texts.length - fewCount;
  if (remaining > 0) firstTexts.push(`and ${remaining} more`);
  return firstTexts;
}
