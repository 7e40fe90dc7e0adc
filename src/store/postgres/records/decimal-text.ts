import { lazy } from '../../../core/memoize.ts';
import { openDatabase } from '../../sqlite-file/driver.ts';

/**
 * Creates the writer of doubles as SQLite writes them into JSON, so that a record has the same text on both engines: with at least
 * one digit after the point, and an exponent for very large and very small numbers. SQLite itself writes the unusual ones.
 */
export function createDecimalWriter(): (value: number) => string {
  const inSqlite = lazy(() =>
    openDatabase(':memory:', {}).prepare<[number], string>('select json_quote(?)').pluck(),
  );
  return (value) => {
    const size = Math.abs(value);
    const text = String(value);
    if (size >= leastUsual && size < firstUnusual && text.length <= usualLength) {
      return text.includes('.') ? text : `${text}.0`;
    }
    return value === 0 ? '0.0' : String(inSqlite().get(value));
  };
}

/** Of numbers from here to there with few digits, JavaScript's own text is the same, and costs far less. */
const leastUsual = 1e-4;
const firstUnusual = 1e13;
const usualLength = 14;
