import { HkctlError } from '../../core/errors.ts';
import { parsed } from '../command/flags.ts';

/** `--deliver`, with what else the help of a command says about it. */
export function deliverFlag(doc: string) {
  return parsed('--deliver <COMMAND>', doc, requireCommand);
}

/** A command for the shell. Throws `usage` for an empty one, as an unset variable of a script gives it. */
export function requireCommand(command: string): string {
  if (command.trim() !== '') return command;
  throw new HkctlError('usage', 'a command is missing.');
}

/** A path as a flag takes it. Throws `usage` for an empty one. */
export function requirePath(path: string): string {
  if (path.trim() !== '') return path;
  throw new HkctlError('usage', 'a path is missing.');
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
