import { HkctlError } from '../errors.ts';
import { holdsSecret } from '../secrets.ts';
import { trickyIn } from './shown-text.ts';
import { canonicalText } from './words.ts';

/**
 * A name of 1 to `maxLength` visible characters, without a secret, in the form in which it is stored. `noun` begins the message.
 * Throws `bad_input`.
 */
export function requireLabel(typedLabel: string, noun: string, maxLength = 120): string {
  const label = canonicalText(typedLabel);
  const { length } = [...label];
  requireVisible(label, noun);

  if (label.trim() !== label || length < 1 || length > maxLength) {
    throw new HkctlError(
      'bad_input',
      `${noun} has 1 to ${maxLength} characters, and no blanks at its ends.`,
    );
  }
  if (holdsSecret(label)) {
    throw new HkctlError(
      'bad_input',
      `${noun} must not contain a secret: it is shown to others and written to the audit trail.`,
    );
  }
  return label;
}

function requireVisible(label: string, noun: string): void {
  const trickyCharacter = trickyIn(label);
  if (trickyCharacter === undefined) return;

  throw new HkctlError(
    'bad_input',
    `${noun} must not contain ${trickyCharacter}, which is invisible or changes how text is shown.`,
    {
      hint: 'Type the text instead of pasting it; with such a character one name can look like another.',
    },
  );
}
