import { readFileSync } from 'node:fs';

/** How Node shows bytes of an argument that are no UTF-8. */
const replacementCharacter = '\ufffd';

/**
 * The arguments that are paths, as bytes if they are no UTF-8: Node decodes each argument and so loses them; Linux keeps the
 * original command line of a process. The order is that of the command line.
 */
export function rawPaths(paths: readonly string[]): (string | Buffer)[] {
  const isDecodedWrong = (path: string) => path.includes(replacementCharacter);
  if (!paths.some(isDecodedWrong)) return [...paths];

  const rawWords = wordsOf(readFileSync('/proc/self/cmdline'));
  let searchStart = 0;
  return paths.map((path) => {
    if (!isDecodedWrong(path)) return path;

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
