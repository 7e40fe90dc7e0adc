/** A result that an engine returns at once (SQLite) or later (a database server). */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a value, synchronously unless it is a promise: a promise for each step of each request would add up. */
export function chain<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
