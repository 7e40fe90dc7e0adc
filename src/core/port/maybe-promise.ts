/** A result that an engine returns at once (SQLite) or later (a database server). */
export type MaybePromise<T> = T | Promise<T>;
