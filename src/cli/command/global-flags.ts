import { HkctlError } from '../../core/errors.ts';
import { isStoreAddress, splitPassword } from '../../core/store-address.ts';
import { type Flags, parsed, text, toggle } from './flags.ts';

export const globalFlags = {
  store: {
    ...parsed(
      '--store <PATH>',
      'the store (default: $STATE_DIRECTORY/hkctl.db, else hkctl/hkctl.db in $XDG_DATA_HOME or ~/.local/share, else /var/lib/hkctl/hkctl.db)',
      requireStoreName,
    ),
    refuseGiven: refusePassword,
  },
  as: {
    ...text('--as <LOGIN>', 'act as this user profile instead of the OS account (variable: HKCTL_USER)'),
    env: ['HKCTL_USER', 'HKCTL_AS'],
  },
  json: toggle('--json', 'print one JSON document on standard output, errors as JSON on standard error'),
  quiet: toggle('--quiet', 'leave out what is said on success; results, warnings and errors stay'),
  utc: toggle('--utc', 'show times in full and in UTC, instead of "4 min ago"'),
  debug: toggle('--debug', 'show where an unexpected error came from'),
} satisfies Flags;

/** Other accounts of the machine can read the command line of a process. Throws `usage`. */
function refusePassword(given: string): void {
  if (splitPassword(given).password === undefined) return;
  throw new HkctlError('usage', 'A password on the command line can be read by everybody on this machine.', {
    hint: 'Put it into ~/.pgpass (mode 0600), or give the address in HKCTL_STORE; and change that password.',
  });
}

/**
 * Where a store can be kept: SQLite takes an empty name and `:memory:` for a database that is gone at the end. Throws `usage`. A
 * password is left out here, so that nothing shows it; who connects takes it from the variable again.
 */
function requireStoreName(given: string): string {
  if (given === '' || given === ':memory:') {
    throw new HkctlError('usage', `"${given}" is not a place where a store can be kept: give the path of a file.`);
  }
  // Taken for a path, a mistyped address would make folders, and its password would be shown.
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(given)?.[0];
  if (scheme !== undefined && !isStoreAddress(given)) {
    throw new HkctlError('usage', `No store can be kept at an address that begins with "${scheme}".`, {
      hint: 'Give the path of a file, or an address such as postgres://db.example.com/plant',
    });
  }
  return splitPassword(given).address;
}
