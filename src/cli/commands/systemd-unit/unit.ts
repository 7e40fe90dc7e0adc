import { HkctlError } from '../../../core/errors.ts';
import { holdsSecret } from '../../../core/keys/secrets.ts';

/** A unit file. */
export interface Unit {
  name: string;
  text: string;
}

/** An argument of a command line, quoted for systemd whatever is in it. */
export function quotedArgument(argument: string): string {
  const escaped = argument.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(argument) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped;
}

/** Checks a value that is written into a unit as it is. Throws `usage`. */
export function requirePlain(given: string, pattern: RegExp): string {
  // Everybody on the machine can read a unit.
  if (pattern.test(given) && !holdsSecret(given)) return given;
  throw new HkctlError('usage', `"${given}" cannot stand in a unit.`);
}

/** An absolute path for a unit. Throws `usage`. */
export function requirePath(given: string): string {
  return requirePlain(given, /^\/[^\p{Cc}%"'\\]+$/u);
}

/** The same for a place where systemd separates paths by blanks, or by colons. */
export function requirePathWithoutBlanks(given: string): string {
  return requirePlain(given, /^\/[^\s\p{Cc}%"'\\:$;]+$/u);
}
