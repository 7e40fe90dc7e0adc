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
      const all = remainder + text;
      // JSON itself has no CR inside a text: it ends a line, too.
      const hasReturns = all.includes('\r');
      let at = 0;
      while (at < all.length) {
        const lineEnd = hasReturns ? endOfLine(all, at) : indexOrEnd(all, '\n', at);
        if (lineEnd === all.length && !last) break;
        const next = lineEnd === all.length ? lineEnd : endOfBreak(all, lineEnd, last);
        if (next === -1) break;
        readLine(all.slice(at, lineEnd));
        line++;
        at = next;
      }
      remainder = all.slice(at);
      if (remainder.length > maxRowLength) events.fatal(line, tooLongRule);
    },
  };

  function readLine(text: string): void {
    if (/^\s*$/.test(text)) return;
    const value = jsonIn(text, events.parse);
    if (value !== undefined) events.value(value, line);
    else events.fault({ line, column: null, value: text, rule: 'one JSON value a line' });
  }
}

type Expected = 'array' | 'first' | 'value' | 'separator' | 'members' | 'end';

/** Whether a text begins a document that holds its list in a member; undefined if too little of it is known. */
export function beginsDocument(text: string, listName: string): boolean | undefined {
  const head = /^\s*\{\s*("[^"]*"?)?/.exec(text);
  if (head === null) return false;
  const [all, name = ''] = head;
  const wanted = `"${listName}"`;
  if (name === wanted) return true;
  return all.length === text.length && wanted.startsWith(name) ? undefined : false;
}

/**
 * Creates a streaming reader of one JSON array, or of a document of the API that holds it in its first member. Finds the end of each element and parses that with JSON.parse, so that a
 * file of any size is read at the engine's own speed, and the line of each element is known.
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
      const all = remainder + text;
      let at = 0;
      const advance = (to: number) => {
        line += countLineFeeds(all, at, to);
        at = to;
      };
      for (advance(skipBlanks(all, at)); at < all.length; advance(skipBlanks(all, at))) {
        if (expected === 'members') {
          if (!last) break;
          requireMembers(all.slice(at));
          expected = 'end';
          advance(all.length);
        } else if (expected === 'array' && all[at] === '{') {
          documentHead.lastIndex = at;
          if (!last && !documentHead.test(all) && all.length - at < longestHead) break;
          documentHead.lastIndex = at;
          if (!documentHead.test(all)) events.fatal(line, ruleFor(expected, events.listName));
          isWrapped = true;
          expected = 'first';
          advance(documentHead.lastIndex);
        } else if (expected === 'value' || (expected === 'first' && all[at] !== ']')) {
          const valueEnd = endOfValue(all, at);
          if (valueEnd === -1) break;
          const value = jsonIn(all.slice(at, valueEnd), events.parse);
          if (value === undefined) events.fatal(line, 'a JSON value');
          events.value(value, line);
          expected = 'separator';
          advance(valueEnd);
        } else {
          expected = next(all[at]);
          at++;
        }
      }
      remainder = all.slice(at);
      if (remainder.length > maxRowLength) events.fatal(line, tooLongRule);
      if (last && expected !== 'end')
        events.fatal(line, 'a JSON array that is closed before the end of the file');
    },
  };

  function next(character: string | undefined): Expected {
    if (expected === 'array' && character === '[') return 'first';
    if (expected === 'separator' && character === ',') return 'value';
    if ((expected === 'separator' || expected === 'first') && character === ']')
      return isWrapped ? 'members' : 'end';
    return events.fatal(line, ruleFor(expected, events.listName));
  }

  /** Requires that a document has nothing behind its list but what a whole list of the API has. */
  function requireMembers(text: string): void {
    const members = jsonIn(`{"list":0${text}`);
    if (!isObject(members)) events.fatal(line, 'the end of the JSON document behind its list');
    for (const [name, value] of Object.entries(members)) {
      if (name === 'next_cursor' && value !== null)
        events.fatal(line, 'the whole list; this is one page of several, as its next_cursor shows');
      if (!knownMembers.has(name))
        events.fatal(line, `a document with nothing but its list; it has the member "${name}"`);
    }
  }
}

/** The members of a list of the API besides its records; `list` stands for these. */
const knownMembers = new Set(['list', 'next_cursor', 'sync_token']);

/** So many characters, most of them blanks, may stand before the list of a document. */
const longestHead = 4096;

/** Between values only: they are no part of a text, in which JSON has no line breaks. */
function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1))
    count++;
  return count;
}

function ruleFor(expected: Expected, listName: string): string {
  if (expected === 'array')
    return `a JSON array of objects, or {"${listName}":[…]}; for one object a line use --format ndjson`;
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

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 32) at++;
  return at;
}
