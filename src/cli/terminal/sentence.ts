import { type HkctlError, isHkctlError } from '../../core/errors.ts';

/** A count with its noun: `1 file`, `2,000 files`, `3 entities`. */
export function counted(count: number, word: string): string {
  const plural = /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
  return `${grouped(count)} ${count === 1 ? word : plural}`;
}

/** A number with a comma after each three digits; Intl would cost a short command milliseconds. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function messageWithHint({ message, hint }: HkctlError): string {
  return [message, hint].filter(Boolean).join(' ');
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
