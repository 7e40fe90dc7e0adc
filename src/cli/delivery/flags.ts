import { HkctlError } from '../../core/errors.ts';
import { textFlag } from '../command/flags.ts';

/** `--deliver`, with what else the help of a command says about it. */
export function deliverFlag(doc: string) {
  return textFlag('--deliver <COMMAND>', doc);
}

/** The secret goes to one place. Throws `usage` for a second one. */
export function requireOnePlace(given: {
  deliver?: string;
  secretFile?: string;
  secretDir?: string;
  copy: boolean;
}): void {
  const places = [
    given.deliver !== undefined && '--deliver',
    given.secretFile !== undefined && '--secret-file',
    given.secretDir !== undefined && '--secret-dir',
    given.deliver !== undefined && given.copy && '--copy',
  ].filter((flag) => flag !== false);
  if (places.length < 2) return;
  throw new HkctlError('usage', `Give ${places.slice(0, 2).join(' or ')}, not both.`);
}
