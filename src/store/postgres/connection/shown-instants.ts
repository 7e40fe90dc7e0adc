/** The last instant that has a year of four digits, in epoch milliseconds. */
const latestShownMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** A double represents no more microseconds exactly. */
const maxExactUs = Number.MAX_SAFE_INTEGER;

/** SQL that is true for an instant in milliseconds that can be shown: the log-in of a daemon can write any number into some tables. */
export const isShownMs = (column: string) => `${column} between 0 and ${latestShownMs}`;

/** SQL that is true for an instant in microseconds that can be shown. */
export const isShownUs = (column: string) => `${column} between ${-maxExactUs} and ${maxExactUs}`;

/** SQL for the nearest instant in milliseconds that can be shown; null stays null. */
export const shownMs = (column: string) =>
  `case when ${column} is not null then least(greatest(${column}, 0), ${latestShownMs}) end`;

/** SQL for the nearest instant in microseconds that can be shown. */
export const shownUs = (column: string) =>
  `least(greatest(${column}, ${-maxExactUs}), ${maxExactUs})`;
