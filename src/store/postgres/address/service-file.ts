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
    const lines = file ? textOf(file).split(/\r?\n/) : [];
    const trimmed = lines.map((line) => line.trim());
    const start = trimmed.indexOf(`[${name}]`);
    if (start === -1) continue;
    const rest = trimmed.slice(start + 1);
    const end = rest.findIndex((line) => line.startsWith('['));
    const pairs = (end === -1 ? rest : rest.slice(0, end)).filter((line) => line !== '' && !line.startsWith('#'));
    return Object.fromEntries(pairs.map((line) => [line.replace(/\s*=.*/, ''), line.replace(/^[^=]*=?\s*/, '')]));
  }
  throw wrongAddress(`no service file has the service ${JSON.stringify(name.slice(0, 60))}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return '';
    throw wrongAddress('its service file cannot be read');
  }
}
