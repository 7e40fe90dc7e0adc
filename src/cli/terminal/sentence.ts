import { type HkctlError, isHkctlError } from '../../core/errors.ts';

/** A count with its noun: `1 file`, `2 files`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The message of an error with its hint, as one line. */
export function messageWithHint({ message, hint }: HkctlError): string {
  return [message, hint].filter(Boolean).join(' ');
}

/** Runs a rule that throws on a bad answer; returns its message with the hint, or undefined where the answer is good. */
export function sentenceOf(rule: () => void): string | undefined {
  try {
    rule();
    return undefined;
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return messageWithHint(thrown);
  }
}
