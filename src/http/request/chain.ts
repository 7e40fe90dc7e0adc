import type { MaybePromise } from '../../core/port/maybe-promise.ts';

/** Goes on with a value at once where it is there: a promise for each step of each request adds up. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
