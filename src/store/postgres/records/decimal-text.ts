import { lazy } from '../../../core/memoize.ts';
import { openDatabase } from '../../sqlite-file/driver.ts';

/**
 * Creates the writer of doubles as SQLite writes them into JSON: a record has the same text on both engines. Each has a digit
 * after the point, and very large and small numbers have an exponent. SQLite itself writes the unusual ones.
 */
export function createDecimalWriter(): (value: number) => string {
  const quoteInSqlite = lazy(() => {
    const database = openDatabase(':memory:', {});
    return database.prepare<[number], string>('select json_quote(?)').pluck();
  });
  return (value) => {
    const magnitude = Math.abs(value);
    const numberText = String(value);
    if (magnitude >= leastUsual && magnitude < firstUnusual && numberText.length <= usualLength) {
      return numberText.includes('.') ? numberText : `${numberText}.0`;
    }
    return value === 0 ? '0.0' : String(quoteInSqlite().get(value));
  };
}

/** Of numbers from here to there with few digits, JavaScript's own text is the same. */
const leastUsual = 1e-4;
const firstUnusual = 1e13;
const usualLength = 14;
