import { jsonIn } from '../core/fields/exact-numbers.ts';
import { isObject } from '../core/fields/values.ts';
import { endOfJsonString } from '../core/text/quoting.ts';
import {
  countBreaks,
  endOfBreak,
  endOfLine,
  indexOrEnd,
  maxRowLength,
  type TextEvents,
  type TextReader,
  tooLongRule,
} from './reader.ts';

/** Creates a streaming reader of NDJSON: one JSON value a line, empty lines ignored. */
export function createNdjsonReader(events: Omit<TextEvents, 'row' | 'listName'>): TextReader {
  let remainder = '';
  let line = 1;
  return {
    get line() {
      return line;
    },
    push(text, last) {
      const bufferedText = remainder + text;
      // JSON itself has no CR inside a text: it ends a line, too.
      const hasReturns = bufferedText.includes('\r');
      let lineStart = 0;
      while (lineStart < bufferedText.length) {
        const lineEnd = hasReturns
          ? endOfLine(bufferedText, lineStart)
          : indexOrEnd(bufferedText, '\n', lineStart);
        if (lineEnd === bufferedText.length && !last) break;
        const nextLineStart =
          lineEnd === bufferedText.length ? lineEnd : endOfBreak(bufferedText, lineEnd, last);
        if (nextLineStart === -1) break;
        readLine(bufferedText.slice(lineStart, lineEnd));
        line++;
        lineStart = nextLineStart;
      }
      remainder = bufferedText.slice(lineStart);
      if (remainder.length > maxRowLength) events.fatal(line, tooLongRule);
    },
  };

  function readLine(jsonLine: string): void {
    if (/^\s*$/.test(jsonLine)) return;

    const value = jsonIn(jsonLine, events.parse);
    if (value !== undefined) {
      events.value(value, line);
    } else {
      events.fault({
        line,
        column: null,
        value: jsonLine,
        rule: 'one JSON value a line',
      });
    }
  }
}

type Expected = 'array' | 'first' | 'value' | 'separator' | 'members' | 'end';

/** Whether a text begins a document that holds its list in a member; undefined if too little of it is known. */
export function beginsDocument(text: string, listName: string): boolean | undefined {
  const documentHead = /^\s*\{\s*("[^"]*"?)?/.exec(text);
  if (documentHead === null) return false;
  const [matchedText, memberName = ''] = documentHead;
  const quotedListName = `"${listName}"`;
  if (memberName === quotedListName) return true;

  const isCutOff = matchedText.length === text.length;
  return isCutOff && quotedListName.startsWith(memberName) ? undefined : false;
}

/**
 * Creates a streaming reader of one JSON array, or of a document of the API that holds it in its first member. Finds the end of
 * each element and parses that with JSON.parse, so that a file of any size is read at the engine's own speed, and the line of
 * each element is known.
 */
export function createJsonReader(events: Omit<TextEvents, 'row'>): TextReader {
  let remainder = '';
  let line = 1;
  let expected: Expected = 'array';
  let isWrapped = false;
  const documentHead = new RegExp(`\\{\\s*"${events.listName}"\\s*:\\s*\\[`, 'y');
  return {
    get line() {
      return line + countBreaks(remainder);
    },
    push(text, last) {
      const bufferedText = remainder + text;
      let position = 0;
      const advance = (nextPosition: number) => {
        line += countLineFeeds(bufferedText, position, nextPosition);
        position = nextPosition;
      };

      const skipToToken = () => advance(skipBlanks(bufferedText, position));
      for (skipToToken(); position < bufferedText.length; skipToToken()) {
        if (expected === 'members') {
          if (!last) break;
          requireMembers(bufferedText.slice(position));
          expected = 'end';
          advance(bufferedText.length);
        } else if (expected === 'array' && bufferedText[position] === '{') {
          documentHead.lastIndex = position;
          if (
            !last &&
            !documentHead.test(bufferedText) &&
            bufferedText.length - position < maxHeadLength
          ) {
            break;
          }
          documentHead.lastIndex = position;
          if (!documentHead.test(bufferedText)) {
            events.fatal(line, ruleFor(expected, events.listName));
          }
          isWrapped = true;
          expected = 'first';
          advance(documentHead.lastIndex);
        } else if (
          expected === 'value' ||
          (expected === 'first' && bufferedText[position] !== ']')
        ) {
          const valueEnd = endOfValue(bufferedText, position);
          if (valueEnd === -1) break;
          const value = jsonIn(bufferedText.slice(position, valueEnd), events.parse);
          if (value === undefined) events.fatal(line, 'a JSON value');
          events.value(value, line);
          expected = 'separator';
          advance(valueEnd);
        } else {
          expected = stateAfter(bufferedText[position]);
          position++;
        }
      }
      remainder = bufferedText.slice(position);
      if (remainder.length > maxRowLength) events.fatal(line, tooLongRule);

      if (last && expected !== 'end') {
        events.fatal(line, 'a JSON array that is closed before the end of the file');
      }
    },
  };

  function stateAfter(character: string | undefined): Expected {
    if (expected === 'array' && character === '[') return 'first';
    if (expected === 'separator' && character === ',') return 'value';
    const mayEnd = expected === 'separator' || expected === 'first';
    if (mayEnd && character === ']') return isWrapped ? 'members' : 'end';
    return events.fatal(line, ruleFor(expected, events.listName));
  }

  /** Requires that a document has nothing behind its list but what a whole list of the API has. */
  function requireMembers(documentEnd: string): void {
    const members = jsonIn(`{"list":0${documentEnd}`);
    if (!isObject(members)) events.fatal(line, 'the end of the JSON document behind its list');
    for (const [name, value] of Object.entries(members)) {
      if (name === 'next_cursor' && value !== null) {
        events.fatal(line, 'the whole list; this is one page of several, as its next_cursor shows');
      }
      if (!knownMembers.has(name)) {
        events.fatal(line, `a document with nothing but its list; it has the member "${name}"`);
      }
    }
  }
}

/** The members of a list of the API besides its records; `list` stands for these. */
const knownMembers = new Set(['list', 'next_cursor', 'sync_token']);

/** The most characters, most of them blanks, before the list of a document. */
const maxHeadLength = 4096;

/** Between values only: they are no part of a text, in which JSON has no line breaks. */
function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) {
    count++;
  }
  return count;
}

function ruleFor(expected: Expected, listName: string): string {
  if (expected === 'array') {
    return `a JSON array of objects, or {"${listName}":[…]}; for one object a line use --format ndjson`;
  }
  return expected === 'end'
    ? 'nothing after the JSON array'
    : 'a comma or the end of the array between two objects';
}

/** The end of the element that starts at `start`; -1 if it is incomplete. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = endOfJsonString(text, at);
      if (at === -1) return -1;
    } else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      // The bracket of the array ends a number, true, false or null before it.
      if (depth === 0) return at;
      depth--;
    } else if (depth > 0 || (code > 32 && code !== 44)) continue;
    else return at;
    if (depth === 0) return at + 1;
  }
  return -1;
}

function skipBlanks(text: string, blanksStart: number): number {
  let at = blanksStart;
  while (at < text.length && text.charCodeAt(at) <= 32) {
    at++;
  }
  return at;
}
