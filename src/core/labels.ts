import { HkctlError } from './errors.ts';
import { holdsSecret } from './secrets.ts';

/** Controls, and what turns the direction of the text around it: both make a line say what it does not. */
const misleading = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/**
 * A name for people, of whatever `what` says ("A key name"): 1 to 120 characters, no control characters, no blank ends, no
 * secret. Throws `bad_input`.
 */
export function requireLabel(text: string, what: string): void {
  const { length } = [...text];
  if (text.trim() !== text || length < 1 || length > 120 || misleading.test(text)) {
    throw new HkctlError(
      'bad_input',
      `${what} has 1 to 120 characters, none of them control characters or blanks at the ends.`,
    );
  }
  if (holdsSecret(text)) {
    throw new HkctlError('bad_input', `${what} holds no secret: it is shown to others and written to the audit trail.`);
  }
}
