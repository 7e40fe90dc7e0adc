import { readFileSync } from 'node:fs';

/** How Node shows bytes of an argument that are no UTF-8. */
const replacement = '\ufffd';

/**
 * The arguments that are paths, with the bytes of those that are no text: Node decodes each argument, and so loses them; Linux
 * keeps the command line of a process as it was. The order is that of the command line.
 */
export function rawPaths(paths: readonly string[]): (string | Buffer)[] {
  if (!paths.some((path) => path.includes(replacement))) return [...paths];

  const words = wordsOf(readFileSync('/proc/self/cmdline'));
  let next = 0;
  return paths.map((path) => {
    if (!path.includes(replacement)) return path;
    const place = words.findIndex((word, index) => index >= next && word.toString() === path);
    if (place === -1) return path;
    next = place + 1;
    return words[place] ?? path;
  });
}

function wordsOf(commandLine: Buffer): Buffer[] {
  const words: Buffer[] = [];
  for (let at = 0; at < commandLine.length; ) {
    const wordEnd = commandLine.indexOf(0, at);
    words.push(commandLine.subarray(at, wordEnd));
    at = wordEnd + 1;
  }
  return words;
}
