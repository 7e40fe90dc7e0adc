import type { Domain } from '../../../core/actors.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { Context } from '../../context.ts';

/** The address of the API: as given, else where a running daemon noted that it answers; undefined where neither is known. */
export async function baseUrlOf(
  _context: Context,
  domain: Domain,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return domain.store.daemon.address();
  return requireBaseUrl(given);
}

/** An http or https address, without a slash at its end. Throws `usage`. */
export function requireBaseUrl(given: string): string {
  if (!/^https?:\/\/[^\s/?#"'$`\\]+(\/[^\s?#"'$`\\]*)?$/.test(given)) {
    throw new HkctlError('usage', `--base-url: "${given}" is no address: give one such as https://api.example.com.`);
  }
  return given.replace(/\/+$/, '');
}
