import type { FiledKey } from '../../core/keys/secret-files/into-file.ts';
import type { Printer } from '../command/printer.ts';

/** Says that a file of an earlier run was removed. */
export function sayDiscarded({ say }: Printer, { discarded }: FiledKey): void {
  if (discarded === undefined) return;

  say(`Discarded ${discarded.path}: ${discarded.why}.`);
}
