import type { MaybePromise } from '../../core/port/maybe-promise.ts';

/** Continues with a value, synchronously unless it is a promise: a promise for each step of each request would add up. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
