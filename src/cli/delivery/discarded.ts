import type { FiledKey } from '../../core/keys/secret-files/into-file.ts';
import type { Context } from '../command/context.ts';

/** Says that a file of an earlier run was removed. */
export function sayDiscarded({ say }: Pick<Context, 'say'>, { discarded }: FiledKey): void {
  if (discarded) say(`Discarded ${discarded.path}: ${discarded.why}.`);
}
