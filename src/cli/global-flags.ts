import { HkctlError } from '../core/errors.ts';
import { type Flags, parsed, text, toggle } from './flags.ts';

/** Flags of every command. */
export const globalFlags = {
  store: parsed(
    '--store <PATH>',
    'the store (default: $STATE_DIRECTORY/hkctl.db, else $XDG_DATA_HOME/hkctl/hkctl.db, else /var/lib/hkctl/hkctl.db)',
    requireStoreName,
  ),
  as: text('--as <LOGIN>', 'act as this user profile instead of the OS account (variable: HKCTL_USER)', [
    'HKCTL_USER',
    'HKCTL_AS',
  ]),
  json: toggle('--json', 'print one JSON document on standard output, errors as JSON on standard error'),
  quiet: toggle('--quiet', 'leave out what is said on success; results, warnings and errors stay'),
  utc: toggle('--utc', 'show times in full and in UTC, instead of "4 min ago"'),
  debug: toggle('--debug', 'show where an unexpected error came from'),
} satisfies Flags;

/** Where a store can be kept: SQLite takes an empty name and `:memory:` for a database that is gone at the end. Throws `usage`. */
function requireStoreName(given: string): string {
  if (given === '' || given === ':memory:') {
    throw new HkctlError('usage', `"${given}" is no place where a store is kept: give the path of a file.`);
  }
  return given;
}
