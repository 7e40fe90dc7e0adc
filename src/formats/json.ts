import { jsonIn } from '../core/fields/exact-numbers.ts';
import { isObject } from '../core/fields/values.ts';
import { type Expected, JsonListReader } from '../core/items/json-list.ts';
import { hasMemberTwice } from '../core/items/json-members.ts';
import { LineReader, plainLines } from '../core/items/lines.ts';
import { type FileReader, recordOptions, type TextEvents } from './reader.ts';

/** So many lines that are no JSON end an import: each takes some microseconds, and the file has another format. */
const mostUnreadableLines = 100_000;

/** Creates a reader of NDJSON: one JSON value a line, blank lines ignored. */
export function createNdjsonReader(events: Omit<TextEvents, 'row' | 'listName'>): FileReader {
  const items = new LineReader(plainLines, recordOptions);
  let unreadableLines = 0;
  return {
    items,
    take(found) {
      if (found === 'end') return;
      const jsonLine = items.text();
      if (/^\s*$/.test(jsonLine)) return;
      takeValue(jsonLine, items.line, events, () => {
        const rule = 'one JSON value a line';
        if (++unreadableLines === mostUnreadableLines) events.fatal(items.line, rule);
        events.fault({ line: items.line, column: null, value: jsonLine, rule });
      });
    },
  };
}

/** Creates a reader of one JSON array, or of a document of the API that holds it in its first member. */
export function createJsonReader(events: Omit<TextEvents, 'row'>): FileReader {
  const { listName } = events;
  const items = new JsonListReader({ listName, isListAlone: true }, recordOptions);
  return {
    items,
    take(found) {
      if (found === 'end') return;
      const line = found === 'item' ? items.line : items.lineReached;
      if (found === 'wrong') events.fatal(line, ruleFor(items.expected, listName));
      if (found === 'cut off') events.fatal(line, closingRuleFor(items.expected, listName));
      if (found === 'item') {
        takeValue(items.text(), line, events, () => events.fatal(line, 'a JSON value'));
      } else requireMember(items.text(), line);
    },
  };

  /** Requires that a member behind the list is one that a whole list of the API has. */
  function requireMember(memberText: string, line: number): void {
    const members = jsonIn(`{${memberText}}`);
    if (!isObject(members)) events.fatal(line, ruleFor('member', listName));
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

/** Passes on the value of a text, or its fault; a text that is no JSON is left to `refuse`. */
function takeValue(
  text: string,
  line: number,
  { parse, value, fault }: Pick<TextEvents, 'parse' | 'value' | 'fault'>,
  refuse: () => void,
): void {
  const parsed = jsonIn(text, parse);
  if (parsed === undefined) refuse();
  else if (!hasMemberTwice(text, parsed)) value(parsed, line);
  else fault({ line, column: null, value: text, rule: 'each member of an object once' });
}

/** The members of a list of the API besides its records. */
const knownMembers = new Set(['next_cursor', 'sync_token']);

function closingRuleFor(expected: Expected, listName: string): string {
  const isInHead = expected === 'name' || expected === 'colon' || expected === 'list';
  return isInHead
    ? ruleFor(expected, listName)
    : 'a JSON array that is closed before the end of the file';
}

function ruleFor(expected: Expected, listName: string): string {
  switch (expected) {
    case 'document':
    case 'name':
    case 'colon':
    case 'list':
      return `a JSON array of objects, or {"${listName}":[…]}; for one object a line use --format ndjson`;
    case 'first':
    case 'value':
      return 'a JSON value';
    case 'separator':
      return 'a comma or the end of the array between two objects';
    case 'end':
      return 'nothing after the JSON document';
    default:
      return 'the end of the JSON document behind its list';
  }
}
