import { HkctlError } from '../../core/errors.ts';
import type { FiledKey } from '../../core/keys/secret-files/into-file.ts';
import type { Context } from '../command/context.ts';

/** A path as a flag takes it. Throws `usage` for an empty one, as an unset variable of a script gives it. */
export function requirePath(path: string): string {
  if (path.trim() !== '') return path;
  throw new HkctlError('usage', 'a path is missing.');
}

/** Says that a file of an earlier run was removed. */
export function sayDiscarded({ say }: Pick<Context, 'say'>, { discarded }: FiledKey): void {
  if (discarded) say(`Discarded ${discarded.path}: ${discarded.why}.`);
}
