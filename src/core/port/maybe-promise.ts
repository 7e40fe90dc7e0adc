/** What an engine may answer at once or later: SQLite does the first, a database server the second. */
export type MaybePromise<T> = T | Promise<T>;
