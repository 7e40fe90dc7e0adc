import { sha256 } from '../digest.ts';
import { HkctlError } from '../errors.ts';
import { jsonIn } from '../fields/exact-numbers.ts';
import { wrongValue } from './parameters.ts';

/** Binds a cursor to its query: with another query the same position would silently give another page. */
export function fingerprint(query: readonly unknown[]): string {
  return sha256(JSON.stringify(query), 'base64url').slice(0, 12);
}

export function writeCursor(tie: string, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([tie, ...position])).toString('base64url');
}

/** Reads the position from a cursor of the same query, of unchecked length and types. Throws `bad_parameter`. */
export function readCursor(cursor: string, tie: string): unknown[] {
  const parts = decoded(cursor);
  if (parts === undefined) throw wrongCursor(cursor);
  const [ofQuery, ...position] = parts;
  if (ofQuery !== tie) {
    throw new HkctlError(
      'bad_parameter',
      'This cursor belongs to another query: repeat all other parameters with it.',
    );
  }
  return position;
}

/** The tie and the values of a text that {@link writeCursor} may have written; undefined for any other. */
export function decoded(text: string): unknown[] | undefined {
  const isShaped = text.length <= 2000 && /^[A-Za-z0-9_-]+$/.test(text);
  const parts = isShaped
    ? jsonIn(Buffer.from(text, 'base64url').toString(), JSON.parse)
    : undefined;
  return Array.isArray(parts) && typeof parts[0] === 'string' ? parts : undefined;
}

export function wrongCursor(cursor: string): HkctlError {
  return wrongValue('cursor', cursor, 'the next_cursor of the previous page, unchanged');
}
