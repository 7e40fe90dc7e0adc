import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/errno.ts';
import { wrongAddress } from '../errors/errors.ts';

/** The variables of the environment, from which libpq's ones fill what an address leaves out. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The parameters of a service from libpq's connection service files: PGSERVICEFILE or `~/.pg_service.conf`, then
 * `pg_service.conf` in PGSYSCONFDIR. Throws `usage` if no file has it.
 */
export function readService(name: string, env: Environment): Record<string, string> {
  const own = env.PGSERVICEFILE ?? (env.HOME && join(env.HOME, '.pg_service.conf'));
  const system = join(env.PGSYSCONFDIR ?? '/etc/postgresql-common', 'pg_service.conf');
  for (const file of [own, system]) {
    const found = file === undefined || file === '' ? undefined : serviceIn(file, name);
    if (found) return found;
  }
  throw wrongAddress(`no service file has the service ${JSON.stringify(name.slice(0, 60))}`);
}

function serviceIn(file: string, name: string): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  let isInside = false;
  for (const line of textOf(file).split(/\r?\n/)) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) continue;
    if (text.startsWith('[')) {
      if (found) return found;
      isInside = text === `[${name}]`;
      if (isInside) found = {};
      continue;
    }
    const [key = '', ...value] = text.split('=');
    if (isInside && found) found[key.trim()] = value.join('=').trim();
  }
  return found;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return '';
    throw wrongAddress('its service file cannot be read');
  }
}
