import { isUtf8 } from 'node:buffer';
import { jsonIn } from '../../core/fields/exact-numbers.ts';
import { JsonListReader } from '../../core/items/json-list.ts';
import { hasMemberTwice } from '../../core/items/json-members.ts';
import { LineReader, plainLines } from '../../core/items/lines.ts';
import type { ItemReader, ReaderOptions } from '../../core/items/reader.ts';
import {
  type Fault,
  fault,
  isJsonObject,
  longestItem,
  maxBatch,
  tooLong,
} from '../../core/readings/rejections.ts';
import { ApiError } from '../answers/problem.ts';
import type { SliceSteps } from '../fairness/slices.ts';
import { formatHint, notInFormat } from './body-formats.ts';
import { faultIn, notJson } from './json-faults.ts';

/** The shape of a JSON body: `{"readings":[…]}`, or only a list if there is no name. */
export interface Wrapping {
  name: string | undefined;
  /** The message for a body of another shape. */
  expected: string;
}

/** Receives the items of a body, which may be any values. */
export interface ItemTaker {
  /**
   * Takes the usual items that follow one another from an offset on, up to an item that begins behind `lastOffset`, and counts
   * them in `added`. Returns the offset behind the last one; 0 leaves the first to {@link add}.
   */
  addUsual?(firstOffset: number, firstIndex: number, lastOffset: number): number;
  added?: number;
  /** Takes the line of line protocol at an offset if it is usual; returns its end, or 0. */
  addUsualLine?(lineStart: number, index: number, precision: 'ns' | 'us' | 'ms' | 's'): number;
  /** Forgets the last item that {@link addUsual} took: what follows it on its line is wrong. */
  takeBack?(): void;
  add(item: unknown, index: number): void;
  /** Takes the fault of an item that is not in its format; `item` holds the members that could be read. */
  refuse(index: number, fault: Fault, item?: unknown): void;
}

/** An item of a body that is longer is not parsed. */
export const bodyOptions: ReaderOptions = { longest: longestItem, stepBytes: 16 * 1024 };

/**
 * Takes the items of a body one after the other: a list of JSON or, without a wrapping, lines (NDJSON). A line that is no JSON
 * is refused by itself if another line is JSON. Throws `bad_json`, `invalid_body` or `too_large`.
 */
export function* takeItems(
  body: Buffer,
  wrapping: Wrapping | undefined,
  taker: ItemTaker,
): SliceSteps<void> {
  const wrongText = wrapping
    ? yield* takeList(body, wrapping.name, taker)
    : yield* takeLines(body, taker);
  if (wrongText === undefined) return;

  const faultOffset = yield* faultIn(body, wrongText.start, wrongText.end);
  if (faultOffset === undefined && wrapping) throw new ApiError('invalid_body', wrapping.expected);
  const format = wrapping === undefined ? 'NDJSON' : 'JSON';
  const hint = formatHint(body, format);
  throw hint === undefined
    ? yield* notJson(body, faultOffset ?? wrongText.end, format)
    : notInFormat(format, hint);
}

/** A part of a body that is no JSON, or not of the expected shape. */
interface WrongText {
  start: number;
  end: number;
}

function* takeList(
  body: Buffer,
  listName: string | undefined,
  taker: ItemTaker,
): SliceSteps<WrongText | undefined> {
  let index = 0;
  const takeUsual = (firstOffset: number, lastOffset: number): number => {
    const usualEnd = taker.addUsual?.(firstOffset, index, lastOffset) ?? 0;
    if (usualEnd > 0) index += taker.added ?? 0;
    return usualEnd;
  };
  const shape = { listName, isListAlone: listName === undefined };
  const reader = new JsonListReader(shape, { ...bodyOptions, takeUsual });
  reader.push(body);
  reader.finish();
  for (let found = reader.next(); found !== 'end'; found = reader.next()) {
    if (found === 'step') yield;
    else if (found !== 'item' && found !== 'too long') return { start: 0, end: body.length };
    else if (index === maxBatch) throw tooMany();
    else if (found === 'too long') taker.add(tooLongItem(reader), index++);
    else if (!addParsed(reader.text(), index++, taker)) return { start: 0, end: body.length };
  }
  return undefined;
}

/** Gives the first line that is no JSON, if no line is. */
function* takeLines(body: Buffer, taker: ItemTaker): SliceSteps<WrongText | undefined> {
  let index = 0;
  let hasJson = false;
  let firstWrong: WrongText | undefined;
  const takeUsual = (lineStart: number): number => {
    const usualEnd = taker.addUsual?.(lineStart, index, lineStart) ?? 0;
    if (usualEnd === 0) return 0;
    const lineLimit = Math.min(usualEnd + 1, body.length);
    const isLine = plainLines.read(body, lineStart, lineLimit) === usualEnd;
    if (!isLine) {
      taker.takeBack?.();
      return 0;
    }
    index++;
    hasJson = true;
    return usualEnd;
  };
  const reader = new LineReader(plainLines, { ...bodyOptions, takeUsual });
  reader.push(body);
  reader.finish();
  for (let found = reader.next(); found !== 'end'; found = reader.next()) {
    if (found === 'step') {
      yield;
      continue;
    }
    const text = found === 'item' ? reader.text() : '';
    if (found === 'item' && text.trim() === '') continue;
    if (index === maxBatch) throw tooMany();
    if (found === 'too long') {
      const item = tooLongItem(reader);
      hasJson ||= item !== null;
      taker.add(item, index);
    } else if (isTorn(reader, text)) {
      taker.refuse(index, fault('bad_json', 'The line is not UTF-8.'));
      firstWrong ??= { start: reader.start, end: reader.end };
    } else if (addParsed(text, index, taker, 'line')) hasJson = true;
    else {
      const faultOffset = (yield* faultIn(body, reader.start, reader.end)) ?? reader.end;
      const column = body.toString('utf8', reader.start, faultOffset).length + 1;
      taker.refuse(index, fault('bad_json', `The line is not JSON: column ${column}.`));
      firstWrong ??= { start: reader.start, end: reader.end };
    }
    index++;
  }
  return hasJson ? undefined : (firstWrong ?? { start: 0, end: 0 });
}

/** Adds the item of a text, or refuses it; returns false, and does neither, if it is no JSON. */
function addParsed(text: string, index: number, taker: ItemTaker, subject = 'item'): boolean {
  const item = jsonIn(text, JSON.parse);
  if (item === undefined) return false;
  if (subject === 'line' && !isJsonObject(item))
    taker.refuse(index, fault('bad_json', 'The line is not one object: send one per line.'));
  else if (hasMemberTwice(text, item))
    taker.refuse(
      index,
      fault('bad_json', `The ${subject} has an object with a member twice.`),
      item,
    );
  else taker.add(item, index);
  return true;
}

/** The placeholder of an item that is too long; null if it is not an object, which is refused as such. */
function tooLongItem({ bytes, start }: ItemReader): unknown {
  return bytes[start] === 123 ? tooLong : null;
}

/** Whether the bytes of an item are no UTF-8; its text has the character that stands for those then. */
export function isTorn({ bytes, start, end }: ItemReader, text: string): boolean {
  return text.includes('\uFFFD') && !isUtf8(bytes.subarray(start, end));
}

/** The error for a body with more items than {@link maxBatch}. */
function tooMany(): ApiError {
  return new ApiError(
    'too_large',
    `A body may hold at most ${maxBatch} items; this one holds more.`,
  );
}
