import { readFileSync } from 'node:fs';

/** How Node shows bytes of an argument that are no UTF-8. */
const replacementCharacter = '\ufffd';

/**
 * The arguments that are paths, with the bytes of those that are no text: Node decodes each argument, and so loses them; Linux
 * keeps the command line of a process as it was. The order is that of the command line.
 */
export function rawPaths(paths: readonly string[]): (string | Buffer)[] {
  if (!paths.some((path) => path.includes(replacementCharacter))) return [...paths];

  const rawWords = wordsOf(readFileSync('/proc/self/cmdline'));
  let searchStart = 0;
  return paths.map((path) => {
    if (!path.includes(replacementCharacter)) return path;
    const wordIndex = rawWords.findIndex(
      (word, index) => index >= searchStart && word.toString() === path,
    );
    if (wordIndex === -1) return path;
    searchStart = wordIndex + 1;
    return rawWords[wordIndex] ?? path;
  });
}

function wordsOf(commandLine: Buffer): Buffer[] {
  const words: Buffer[] = [];
  for (let wordStart = 0; wordStart < commandLine.length; ) {
    const wordEnd = commandLine.indexOf(0, wordStart);
    words.push(commandLine.subarray(wordStart, wordEnd));
    wordStart = wordEnd + 1;
  }
  return words;
}
