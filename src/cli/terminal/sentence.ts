import { type HkctlError, isHkctlError } from '../../core/errors.ts';

export function messageWithHint({ message, hint }: HkctlError): string {
  const sentences = [message, hint].filter(Boolean);
  return sentences.join(' ');
}

/** Runs a rule that throws on a bad answer; returns its message with the hint, or undefined if the answer is good. */
export function sentenceOf(rule: () => void): string | undefined {
  try {
    rule();
    return undefined;
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return messageWithHint(thrown);
  }
}
