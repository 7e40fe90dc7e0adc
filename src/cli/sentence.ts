import { isHkctlError } from '../core/errors.ts';

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
