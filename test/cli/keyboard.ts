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

/** Types one key after the other, each once the screen has come to rest. */
export async function typeKeys(
  stdin: PassThrough,
  keys: readonly (string | TypedKey)[],
  written: () => readonly [string, string],
): Promise<void> {
  let [out, err] = [0, 0];
  const length = () => written().join('').length;
  for (const key of keys) {
    const {
      on,
      type: text,
      meanwhile,
    }: TypedKey = typeof key === 'string' ? { on: '', type: key } : key;
    const isShown = () => {
      const [stdout, stderr] = written();
      return stripVTControlCharacters(stdout.slice(out) + stderr.slice(err)).includes(on);
    };
    for (let before = -1; before !== length() || length() === 0 || !isShown(); ) {
      before = length();
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    [out, err] = written().map(({ length }) => length) as [number, number]; // a pair stays one
    await meanwhile?.();
    stdin.write(text);
  }
}
