import { isHkctlError } from './errors.ts';

/** The code that Node, the system or a driver gave an error, such as `EPIPE`; errors of our own have none. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || isHkctlError(thrown)) {
    return undefined;
  }
  if (!('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
