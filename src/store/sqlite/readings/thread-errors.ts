import { type ErrorCode, HkctlError, isHkctlError } from '../../../core/errors.ts';

/** An error as a thread posts it to the main thread: the parts of one of the domain, or the stack of an unknown one. */
export interface PostedError {
  code: ErrorCode;
  message: string;
  hint?: string | undefined;
}

/** The form in which a thread posts an error. */
export function toPostedError(thrown: unknown): PostedError {
  if (isHkctlError(thrown)) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
  return { code: 'internal', message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
}

/** The error that a thread posted; an unknown one is no error of the domain, so that its message is never shown. */
export function fromPostedError({ code, message, hint }: PostedError): Error {
  return code === 'internal' ? new Error(message) : new HkctlError(code, message, { hint });
}
