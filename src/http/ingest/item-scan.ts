import { maxBatch } from '../../core/readings/rejections.ts';
import { isEscaped } from '../../core/text/json-strings.ts';
import { ApiError } from '../request/problem.ts';
import { JsonFault } from './json-faults.ts';

/** The deepest nesting within an item, which is itself two levels below the body. */
const maxDepth = 30;

/** Finds the commas between the items of a list, and its end, without parsing the items. */
export class ItemScan {
  readonly commas: number[] = [];
  /** The position of the closing bracket, once it was found. */
  end: number | undefined;
  readonly #text: string;
  readonly #most: number;
  readonly #closing: number;
  #at: number;
  #isInString = false;
  #depth = 0;
  #deep = 0;

  constructor(text: string, from: number, most: number, closing = 93) {
    this.#text = text;
    this.#at = from;
    this.#most = most;
    this.#closing = closing;
  }

  /** Scans this many characters, or to the next quote of a string that is longer. */
  go(characters: number): void {
    const text = this.#text;
    const until = Math.min(this.#at + characters, text.length);
    let depth = this.#depth;
    // The last step ended behind an escaped quote.
    let at = this.#isInString ? this.#passString(this.#at - 1, until) + 1 : this.#at;
    for (; at < until; at++) {
      const code = text.charCodeAt(at);
      if (code === 34) at = this.#passString(at, until);
      else if (code === 44) {
        if (depth === 0) this.#addComma(at);
      } else if (code === 123 || code === 91) {
        if (depth++ === maxDepth && ++this.#deep > maxBatch) throw tooDeep();
      } else if (code === 125 || code === 93) {
        if (depth-- > 0) continue;
        if (code !== this.#closing) throw new JsonFault(at);
        this.end = at;
        return;
      }
    }
    if (at >= text.length) throw new JsonFault(text.length);
    this.#at = at;
    this.#depth = depth;
  }

  /** The quote that closes a string or, where more of it stands behind `until`, an escaped one there. Throws {@link JsonFault}. */
  #passString(from: number, until: number): number {
    const text = this.#text;
    for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
      this.#isInString = isEscaped(text, at);
      if (!this.#isInString || at >= until) return at;
    }
    throw new JsonFault(text.length);
  }

  #addComma(at: number): void {
    if (this.#most === Number.POSITIVE_INFINITY) return;
    // A list has one item more than commas.
    if (this.commas.push(at) >= this.#most) throw tooMany();
  }
}

/** The error for a body with more items than {@link maxBatch}. */
export function tooMany(): ApiError {
  return new ApiError('too_large', `A body may hold at most ${maxBatch} items; this one holds more.`);
}

function tooDeep(): ApiError {
  return new ApiError('invalid_body', `The body is nested deeper than ${maxDepth + 2} levels.`);
}
