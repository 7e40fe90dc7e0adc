import { isHkctlError } from '../../../core/errors.ts';

/**
 * The same operations, whose errors are the domain's: drizzle wraps each error of a statement in one of its own, whose message
 * holds the values of the statement.
 */
export function unwrapped<Part extends object>(part: Part): Part {
  const members = Object.entries(part).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'function' ? (...given: unknown[]) => unwrappedResult(member(...given)) : member,
  ]);
  return Object.fromEntries(members) as Part; // every member is there, with the same parameters and result
}

/** The error of the domain inside one of drizzle; other errors are returned unchanged. */
export function unwrap(thrown: unknown): unknown {
  for (let inner = thrown; inner instanceof Error; inner = inner.cause) if (isHkctlError(inner)) return inner;
  // Its message may be logged, so that it must not hold values.
  return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
}

function unwrappedResult(result: unknown): unknown {
  if (!isThenable(result)) return result;
  return Promise.resolve(result).catch((thrown: unknown) => {
    throw unwrap(thrown);
  });
}

function isThenable(result: unknown): result is PromiseLike<unknown> {
  return typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function';
}
