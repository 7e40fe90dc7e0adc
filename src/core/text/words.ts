/** The word closest to a misspelt one: the smallest edit distance, at most a third of the word's length. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((word) => ({ word, off: distance(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, off }) => off <= Math.ceil(word.length / 3))
    .sort((a, b) => a.off - b.off);
  return (
    best?.word ?? words.find((word) => given.length > 2 && word.startsWith(given.toLowerCase()))
  );
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

/** Words as a sentence lists them: `a, b and c`. */
export function wordList(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
