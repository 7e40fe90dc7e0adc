import type { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

/** Keys of a terminal by name. */
export const press = {
  enter: '\r',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
  space: ' ',
};

/** A key that is typed only once a text has been shown since the key before it. */
export interface TypedKey {
  on: string;
  type: string;
  /** What another process does before it is typed. */
  meanwhile?: () => Promise<unknown>;
}

/** How long a text may take to be shown, on a machine whose cores are all busy. */
const longestWaitMs = 30_000;

/**
 * Types one key after the other, each once its text was shown and the program reads its input at rest. Rejects with the screen if
 * that never happens, or if the command goes on after the last key; resolves with `ended`.
 */
export async function typeKeys(
  stdin: PassThrough,
  keys: readonly (string | TypedKey)[],
  written: () => readonly [stdout: string, stderr: string],
  ended: AbortSignal,
): Promise<void> {
  let shownBefore: readonly number[] = [0, 0];
  const newlyShown = () => {
    const newTexts = written().map((text, index) => text.slice(shownBefore[index]));
    return stripVTControlCharacters(newTexts.join(''));
  };

  for (const key of keys) {
    const typedKey: TypedKey = typeof key === 'string' ? { on: '', type: key } : key;
    const { on, type: text, meanwhile } = typedKey;
    const deadline = performance.now() + longestWaitMs;
    for (;;) {
      await untilAtRest(stdin, () => written().join('').length, ended);
      if (ended.aborted) return;
      if (newlyShown().includes(on)) break;
      if (performance.now() > deadline)
        throw new Error(`"${on}" was never shown, but:\n${newlyShown()}`);
    }

    shownBefore = written().map(({ length }) => length);
    await meanwhile?.();
    stdin.write(text);
  }
  if (keys.length === 0) return;

  const end = new Promise((resolve) => ended.addEventListener('abort', resolve));
  const limit = new Promise((_, reject) => {
    const fail = () =>
      reject(new Error(`The command goes on after the last key:\n${newlyShown()}`));
    const timer = setTimeout(fail, longestWaitMs);
    ended.addEventListener('abort', () => clearTimeout(timer));
  });
  await Promise.race([end, limit]);
}

/** Waits until the program has read all of its input, listens for more, and shows nothing new for three turns of its loop. */
async function untilAtRest(
  stdin: PassThrough,
  shownLength: () => number,
  ended: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + longestWaitMs;
  let lengthBefore = -1;
  for (let quietTurns = 0; quietTurns < 3 && !ended.aborted; ) {
    await nextTurn();
    const length = shownLength();
    const isListening = stdin.readableFlowing === true && stdin.readableLength === 0;
    const isQuiet = isListening && length > 0 && length === lengthBefore;
    quietTurns = isQuiet ? quietTurns + 1 : 0;
    lengthBefore = length;
    if (performance.now() > deadline) return;
  }
}

/** A turn of the event loop in which timers and input had theirs: a wait by the clock alone may end before either. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setImmediate(resolve));
}
