import { sha256 } from '../digest.ts';
import { HkctlError } from '../errors.ts';
import { jsonIn } from '../fields/exact-numbers.ts';
import { wrongValue } from './parameters.ts';

/** Binds a cursor to its query: with another query the same position would silently give another page. */
export function fingerprint(query: readonly unknown[]): string {
  return sha256(JSON.stringify(query), 'base64url').slice(0, 12);
}

export function writeCursor(queryTie: string, position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([queryTie, ...position])).toString('base64url');
}

/** Reads the position from a cursor of the same query, of unchecked length and types. Throws `bad_parameter`. */
export function readCursor(cursor: string, queryTie: string): unknown[] {
  const cursorParts = decoded(cursor);
  if (cursorParts === undefined) throw wrongCursor(cursor);
  const [cursorTie, ...position] = cursorParts;
  if (cursorTie !== queryTie) {
    throw new HkctlError(
      'bad_parameter',
      'This cursor belongs to another query: repeat all other parameters with it.',
    );
  }
  return position;
}

/** The tie and the values of a text that {@link writeCursor} may have written; undefined for any other. */
export function decoded(cursorText: string): unknown[] | undefined {
  const isShaped = cursorText.length <= 2000 && /^[A-Za-z0-9_-]+$/.test(cursorText);
  if (!isShaped) return undefined;

  const json = Buffer.from(cursorText, 'base64url').toString();
  const decodedParts = jsonIn(json, JSON.parse);
  return Array.isArray(decodedParts) && typeof decodedParts[0] === 'string'
    ? decodedParts
    : undefined;
}

export function wrongCursor(cursor: string): HkctlError {
  return wrongValue('cursor', cursor, 'the next_cursor of the previous page, unchanged');
}
