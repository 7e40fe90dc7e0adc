/** The word closest to a misspelt one: the smallest edit distance, at most a third of the word's length. */
export function nearest(typedWord: string, words: readonly string[]): string | undefined {
  const lowerWord = typedWord.toLowerCase();
  const [bestMatch] = words
    .map((word) => ({ word, editDistance: editDistanceOf(lowerWord, word.toLowerCase()) }))
    .filter(({ word, editDistance }) => editDistance <= Math.ceil(word.length / 3))
    .sort((a, b) => a.editDistance - b.editDistance);
  if (bestMatch) return bestMatch.word;

  if (typedWord.length <= 2) return undefined;
  return words.find((word) => word.startsWith(lowerWord));
}

/**
 * {@link nearest} for words that act: a suggestion must not do more than was meant. A `risky` word is suggested for a plain
 * typing error alone, so that `unrevoke` does not mean revoke, nor `restart` restore; any word has the same first letter.
 */
export function nearestSafely(
  typedWord: string,
  words: readonly string[],
  risky: readonly string[],
): string | undefined {
  const lowerWord = typedWord.toLowerCase();
  const firstLetter = typedWord[0]?.toLowerCase();
  const sameFirstLetter = words.filter((word) => word[0] === firstLetter);
  const safeWords = sameFirstLetter.filter((word) => !risky.includes(word));
  const correctedWord = sameFirstLetter.find((word) => isTypo(lowerWord, word));
  return correctedWord ?? nearest(typedWord, safeWords);
}

/** Whether one letter is missing, added, replaced or exchanged with its neighbour, or the end is missing. */
function isTypo(typedWord: string, word: string): boolean {
  if (typedWord.length > 2 && word.startsWith(typedWord)) {
    return true;
  }
  if (editDistanceOf(typedWord, word) <= 1) return true;

  return [...typedWord].some((_, position) => {
    const exchanged =
      typedWord.slice(0, position) +
      (typedWord[position + 1] ?? '') +
      typedWord[position] +
      typedWord.slice(position + 2);
    return exchanged === word;
  });
}

/** The beginning of a hint that suggests a word, with a blank at its end; empty if there is none to suggest. */
export function didYouMean(word: string | undefined): string {
  return word === undefined ? '' : `Did you mean ${word}? `;
}

/** The Levenshtein distance: how many letters must be inserted, deleted or replaced. */
function editDistanceOf(typedWord: string, word: string): number {
  let previousRow = Array.from({ length: word.length + 1 }, (_, wordIndex) => wordIndex);
  for (let typedIndex = 1; typedIndex <= typedWord.length; typedIndex++) {
    const currentRow = [typedIndex];
    for (let wordIndex = 1; wordIndex <= word.length; wordIndex++) {
      const isSameLetter = typedWord[typedIndex - 1] === word[wordIndex - 1];
      const replaced = (previousRow[wordIndex - 1] ?? 0) + (isSameLetter ? 0 : 1);
      const deleted = (previousRow[wordIndex] ?? 0) + 1;
      const inserted = (currentRow[wordIndex - 1] ?? 0) + 1;
      currentRow.push(Math.min(replaced, deleted, inserted));
    }
    previousRow = currentRow;
  }
  return previousRow[word.length] ?? 0;
}

/** A count with its noun: `1 file`, `2,000 files`, `3 entities`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${nounFor(count, noun)}`;
}

/** A noun in the form that goes with a count: `file`, `files`, `entities`. */
export function nounFor(count: number, noun: string): string {
  if (count === 1) return noun;

  const endsInConsonantY = /[^aeiou]y$/.test(noun);
  return endsInConsonantY ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** A number with a comma after each three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Words as a sentence lists them: `a, b and c`. */
export function wordList(words: readonly string[], conjunction: 'and' | 'or'): string {
  if (words.length < 2) return words.join('');

  const firstWords = words.slice(0, -1).join(', ');
  return `${firstWords} ${conjunction} ${words.at(-1)}`;
}

/**
 * A text in Unicode's form NFC (UAX #15), in which codes, ids and names are stored and compared: `é` is the same name as one
 * character or as two. No name has more than thirty marks in a row (section 13), which would take quadratic time: such a text
 * stays.
 */
export function canonicalText(text: string): string {
  // Characters of Latin-1 are in that form, and nearly all texts consist of them.
  return /[\u0100-\uffff]/.test(text) && !longMarks.test(text) ? text.normalize('NFC') : text;
}

const longMarks = /\p{M}{31}/u;
