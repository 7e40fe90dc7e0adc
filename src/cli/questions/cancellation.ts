import { HkctlError } from '../../core/errors.ts';

/** The error of a question that was answered with no, or not at all (exit 130). */
export function cancelled(): HkctlError {
  return new HkctlError('cancelled', 'Cancelled; nothing was changed.');
}
