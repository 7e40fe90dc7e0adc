import { ApiError } from '../answers/problem.ts';
import type { Steps } from '../fairness/slices.ts';

export class JsonFault extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super(`not JSON at ${offset}`);
    this.offset = offset;
  }
}

/** The error for a body that stops being JSON at an offset; lines and columns, in UTF-16 characters, count from 1. */
export function* notJson(body: Uint8Array, offset: number): Steps<ApiError> {
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
  return new ApiError('bad_json', `The body is not JSON: line ${line}, column ${column}.`);
}

/** Bytes in which one step counts the lines. */
const countedAtOnce = 256 * 1024;

/** Parses the JSON between two offsets of a body, which continues `head`; throws {@link JsonFault}. */
export function parseJson(body: Buffer, from: number, to: number, head = ''): unknown {
  const text = head + body.toString('utf8', from, to);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    // Older versions of V8 do not report the position.
    throw new JsonFault(from - head.length + Buffer.byteLength(text.slice(0, faultOf(text))));
  }
}

/** The offset of the first character that cannot continue JSON (RFC 8259); the length if the text ends too early. */
export function faultOf(text: string): number {
  const closing: string[] = [];
  let expected: 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'next' = 'value';
  for (let at = afterBlanks(text, 0); at < text.length; at = afterBlanks(text, at)) {
    const char = text[at] ?? '';
    if (expected === 'next') {
      const end = closing.at(-1);
      if (char === end) closing.pop();
      else if (char === ',' && end !== undefined) expected = end === ']' ? 'value' : 'key';
      else return at;
      at++;
    } else if (expected === 'colon') {
      if (char !== ':') return at;
      expected = 'value';
      at++;
    } else if (expected.startsWith('first ') && char === closing.at(-1)) {
      closing.pop();
      expected = 'next';
      at++;
    } else if (expected === 'key' || expected === 'first key') {
      const end = endOfScalar(text, at);
      if (char !== '"' || end.fault !== undefined) return end.fault ?? at;
      expected = 'colon';
      at = end.at;
    } else if (char === '[' || char === '{') {
      closing.push(char === '[' ? ']' : '}');
      expected = char === '[' ? 'first value' : 'first key';
      at++;
    } else {
      const end = endOfScalar(text, at);
      if (end.fault !== undefined) return end.fault;
      expected = 'next';
      at = end.at;
    }
  }
  return text.length;
}

interface End {
  at: number;
  fault?: number;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text[at] ?? '')) at++;
  return at;
}

/** The end of the string, number or word that starts at an offset, or its fault. */
function endOfScalar(text: string, start: number): End {
  if (text[start] === '"') return endOfString(text, start);
  for (const word of ['true', 'false', 'null']) {
    if (text[start] !== word[0]) continue;
    let length = 1;
    while (length < word.length && text[start + length] === word[length]) length++;
    return length === word.length ? { at: start + length } : { at: start, fault: start + length };
  }
  number.lastIndex = start;
  return number.test(text) ? { at: number.lastIndex } : { at: start, fault: start };
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function endOfString(text: string, start: number): End {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return { at: at + 1 };
    if (code < 32) return { at, fault: at };
    if (code !== 92) continue;
    escaped.lastIndex = at;
    if (!escaped.test(text)) return { at, fault: at };
    at = escaped.lastIndex - 1;
  }
  return { at: text.length, fault: text.length };
}
