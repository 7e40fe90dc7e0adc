import type { ApiError } from '../answers/problem.ts';
import type { SliceSteps } from '../fairness/slices.ts';
import { type BodyFormat, notInFormat } from './body-formats.ts';

/** Bytes that one step takes to find a fault, and in which it counts lines. */
const bytesPerStep = 8 * 1024;
const bytesPerCount = 256 * 1024;
/** Bytes of a body that are a text at the same time. */
const windowBytes = 1024 * 1024;

/** The error for a body that stops being JSON at an offset; lines and columns, in UTF-16 characters, count from 1. */
export function* notJson(
  body: Uint8Array,
  offset: number,
  format: BodyFormat,
): SliceSteps<ApiError> {
  let line = 1;
  let column = 1;
  for (let index = 0; index < offset; index++) {
    if (index % bytesPerCount === bytesPerCount - 1) yield;
    const byte = body[index] ?? 0;
    if (byte === 10) {
      line++;
      column = 1;
    } else if (byte < 0x80 || byte >= 0xc0) column += byte < 0xf0 ? 1 : 2;
  }
  const word = foreignWordAt(body, offset);
  const hint = word === undefined ? '' : ` JSON has no ${word}; ${wordAdvice}.`;
  return notInFormat(format, `The body is not ${format}: line ${line}, column ${column}.${hint}`);
}

const wordAdvice = 'leave out a reading without a value';
/** Words that libraries write for a missing or an infinite value. */
const foreignWord = /^-?(?:nan|inf(?:inity)?|none|undefined)\b/i;

/** The word of another language at an offset, which may be behind a beginning that JSON could continue, as in `nan`. */
function foreignWordAt(body: Uint8Array, offset: number): string | undefined {
  const nearbyStart = Math.max(0, offset - 1);
  const nearbyText = Buffer.from(body.subarray(nearbyStart, offset + 10)).toString('latin1');
  return (
    foreignWord.exec(nearbyText.slice(offset - nearbyStart))?.[0] ??
    foreignWord.exec(nearbyText)?.[0]
  );
}

/**
 * The offset of the first byte between two that cannot continue JSON (RFC 8259), or of the end if that comes too early; undefined
 * if there is none. Older versions of V8 do not report it. Its tokens are ASCII, so that every byte may be a character.
 */
export function* faultIn(
  body: Buffer,
  textStart: number,
  textEnd: number,
): SliceSteps<number | undefined> {
  // 1 for each open list, 0 for each object: a body may have millions of them.
  let closing = new Uint8Array(64);
  let depth = 0;
  let expected: 'value' | 'key' | 'colon' | 'next' = 'value';
  let isFirst = false;
  let windowText = body.toString('latin1', textStart, Math.min(textStart + windowBytes, textEnd));
  let windowStart = textStart;
  let windowOffset = 0;
  let pauseAt = bytesPerStep;
  const consume = (pattern: RegExp): boolean => {
    pattern.lastIndex = windowOffset;
    const isFound = pattern.test(windowText);
    if (isFound) windowOffset = pattern.lastIndex;
    return isFound;
  };
  let isInString = false;
  for (;;) {
    if (windowOffset > pauseAt) {
      yield;
      if (windowOffset > windowBytes / 2) {
        windowStart += windowOffset;
        windowOffset = 0;
        windowText = body.toString(
          'latin1',
          windowStart,
          Math.min(windowStart + windowBytes, textEnd),
        );
      }
      pauseAt = windowOffset + bytesPerStep;
    }
    if (consume(isInString ? partOfString : blanks)) continue;
    const char = windowText[windowOffset] ?? '';
    const bracket = closing[depth - 1] === 1 ? ']' : '}';
    const closer = depth === 0 ? undefined : bracket;
    if (isInString) {
      if (char !== '"') return windowStart + windowOffset;
      isInString = false;
      expected = expected === 'key' ? 'colon' : 'next';
    } else if (char === '') {
      return expected === 'next' && closer === undefined ? undefined : windowStart + windowOffset;
    } else if (char === closer && (expected === 'next' || isFirst)) {
      depth--;
      expected = 'next';
    } else if (expected === 'next') {
      if (char !== ',' || closer === undefined) return windowStart + windowOffset;
      expected = closer === ']' ? 'value' : 'key';
    } else if (expected === 'colon') {
      if (char !== ':') return windowStart + windowOffset;
      expected = 'value';
    } else if (char === '"') isInString = true;
    else if (expected === 'key') return windowStart + windowOffset;
    else if (char === '[' || char === '{') {
      if (depth === closing.length) {
        const deeper = new Uint8Array(2 * depth);
        deeper.set(closing);
        closing = deeper;
      }
      closing[depth++] = char === '[' ? 1 : 0;
      expected = char === '[' ? 'value' : 'key';
    } else if (consume(scalar)) {
      expected = 'next';
      isFirst = false;
      continue;
    } else {
      consume(partOfWord);
      return windowStart + windowOffset;
    }
    isFirst = char === '[' || char === '{';
    windowOffset++;
  }
}

const blanks = /[ \t\n\r]{1,4096}/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const partOfString = /[^"\\\x00-\x1f]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const partOfWord = /t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?/y;
