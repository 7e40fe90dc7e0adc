import type { ApiError } from '../answers/problem.ts';
import type { SliceSteps } from '../fairness/slices.ts';
import { type BodyFormat, notInFormat } from './body-formats.ts';

/** Bytes that one step takes to find a fault, and in which it counts lines. */
const scannedAtOnce = 8 * 1024;
const countedAtOnce = 256 * 1024;
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
  for (let at = 0; at < offset; at++) {
    if (at % countedAtOnce === countedAtOnce - 1) yield;
    const byte = body[at] ?? 0;
    if (byte === 10) {
      line++;
      column = 1;
    } else if (byte < 0x80 || byte >= 0xc0) column += byte < 0xf0 ? 1 : 2;
  }
  const word = foreignWordAt(body, offset);
  const hint = word === undefined ? '' : ` JSON has no ${word}; ${instead}.`;
  return notInFormat(format, `The body is not ${format}: line ${line}, column ${column}.${hint}`);
}

const instead = 'leave out a reading without a value';
/** What libraries write for a missing or an infinite value. */
const foreignWord = /^-?(?:nan|inf(?:inity)?|none|undefined)\b/i;

/** The word of another language at an offset, which may be behind a beginning that JSON could continue, as in `nan`. */
function foreignWordAt(body: Uint8Array, offset: number): string | undefined {
  const from = Math.max(0, offset - 1);
  const text = Buffer.from(body.subarray(from, offset + 10)).toString('latin1');
  return foreignWord.exec(text.slice(offset - from))?.[0] ?? foreignWord.exec(text)?.[0];
}

/**
 * The offset of the first byte between two that cannot continue JSON (RFC 8259), or of the end if that comes too early; undefined
 * if there is none. Older versions of V8 do not report it. Its tokens are ASCII, so that every byte may be a character.
 */
export function* faultIn(body: Buffer, from: number, to: number): SliceSteps<number | undefined> {
  // 1 for each open list, 0 for each object: a body may have millions of them.
  let closing = new Uint8Array(64);
  let depth = 0;
  let expected: 'value' | 'key' | 'colon' | 'next' = 'value';
  let isFirst = false;
  let text = body.toString('latin1', from, Math.min(from + windowBytes, to));
  let start = from;
  let at = 0;
  let pauseAt = scannedAtOnce;
  const takes = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isFound = pattern.test(text);
    if (isFound) at = pattern.lastIndex;
    return isFound;
  };
  let isInString = false;
  for (;;) {
    if (at > pauseAt) {
      yield;
      if (at > windowBytes / 2) {
        start += at;
        at = 0;
        text = body.toString('latin1', start, Math.min(start + windowBytes, to));
      }
      pauseAt = at + scannedAtOnce;
    }
    if (takes(isInString ? partOfString : blanks)) continue;
    const char = text[at] ?? '';
    const closer = depth === 0 ? undefined : closing[depth - 1] === 1 ? ']' : '}';
    if (isInString) {
      if (char !== '"') return start + at;
      isInString = false;
      expected = expected === 'key' ? 'colon' : 'next';
    } else if (char === '') {
      return expected === 'next' && closer === undefined ? undefined : start + at;
    } else if (char === closer && (expected === 'next' || isFirst)) {
      depth--;
      expected = 'next';
    } else if (expected === 'next') {
      if (char !== ',' || closer === undefined) return start + at;
      expected = closer === ']' ? 'value' : 'key';
    } else if (expected === 'colon') {
      if (char !== ':') return start + at;
      expected = 'value';
    } else if (char === '"') isInString = true;
    else if (expected === 'key') return start + at;
    else if (char === '[' || char === '{') {
      if (depth === closing.length) {
        const deeper = new Uint8Array(2 * depth);
        deeper.set(closing);
        closing = deeper;
      }
      closing[depth++] = char === '[' ? 1 : 0;
      expected = char === '[' ? 'value' : 'key';
    } else if (takes(scalar)) {
      expected = 'next';
      isFirst = false;
      continue;
    } else {
      takes(partOfWord);
      return start + at;
    }
    isFirst = char === '[' || char === '{';
    at++;
  }
}

const blanks = /[ \t\n\r]{1,4096}/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const partOfString = /[^"\\\x00-\x1f]{1,4096}|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const partOfWord = /t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?/y;
