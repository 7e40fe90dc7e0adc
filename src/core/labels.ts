import { HkctlError } from './errors.ts';
import { holdsSecret } from './secrets.ts';
import { isTricky } from './shown-text.ts';

/**
 * A name for people, of whatever `what` says ("A key name"): 1 to 120 characters, no control characters, no blank ends, no
 * secret. Throws `bad_input`.
 */
export function requireLabel(text: string, what: string): void {
  const { length } = [...text];
  if (text.trim() !== text || length < 1 || length > 120 || isTricky(text)) {
    throw new HkctlError(
      'bad_input',
      `${what} has 1 to 120 characters, none of them control characters or blanks at the ends.`,
    );
  }
  if (holdsSecret(text)) {
    throw new HkctlError('bad_input', `${what} holds no secret: it is shown to others and written to the audit trail.`);
  }
}
