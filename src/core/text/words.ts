/** The word closest to a misspelt one: the smallest edit distance, at most a third of the word's length. */
export function nearest(typedWord: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((word) => ({ word, off: distance(typedWord.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, off }) => off <= Math.ceil(word.length / 3))
    .sort((a, b) => a.off - b.off);
  return (
    best?.word ??
    words.find((word) => typedWord.length > 2 && word.startsWith(typedWord.toLowerCase()))
  );
}

/**
 * {@link nearest} for words that act: a suggestion must not do more than was meant. A `risky` word is suggested for a plain
 * typing error alone, so that `unrevoke` does not mean revoke, nor `restart` restore; any word has the same first letter.
 */
export function nearestSafely(
  typed: string,
  words: readonly string[],
  risky: readonly string[],
): string | undefined {
  const sameBeginning = words.filter((word) => word[0] === typed[0]?.toLowerCase());
  const safe = sameBeginning.filter((word) => !risky.includes(word));
  const typo = sameBeginning.find((word) => isTypo(typed.toLowerCase(), word));
  return typo ?? nearest(typed, safe);
}

/** Whether one letter is missing, added, replaced or exchanged with its neighbour, or the end is missing. */
function isTypo(typed: string, word: string): boolean {
  if (typed.length > 2 && word.startsWith(typed)) return true;
  if (distance(typed, word) <= 1) return true;
  return [...typed].some((_, at) => {
    const exchanged = typed.slice(0, at) + (typed[at + 1] ?? '') + typed[at] + typed.slice(at + 2);
    return exchanged === word;
  });
}

/** The beginning of a hint that suggests a word, with a blank at its end; empty if there is none to suggest. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? '' : `Did you mean ${word}? `;
}

/** The Levenshtein distance: how many letters must be inserted, deleted or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** A count with its noun: `1 file`, `2,000 files`, `3 entities`. */
export function counted(count: number, word: string): string {
  return `${grouped(count)} ${nounFor(count, word)}`;
}

/** A noun in the form that goes with a count: `file`, `files`, `entities`. */
export function nounFor(count: number, word: string): string {
  if (count === 1) return word;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** A number with a comma after each three digits; Intl would cost a short command milliseconds. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Words as a sentence lists them: `a, b and c`. */
export function wordList(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
