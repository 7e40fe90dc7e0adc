import { isHkctlError } from '../../core/errors.ts';

/** A number of things in words: `1 file`, `2 files`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** What a rule says against an answer, or undefined. */
export function sentenceOf(judge: () => void): string | undefined {
  try {
    judge();
    return undefined;
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return [thrown.message, thrown.hint].filter(Boolean).join(' ');
  }
}
