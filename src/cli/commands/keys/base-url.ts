import type { Domain } from '../../../core/access/actors.ts';
import { isBaseUrl } from '../../command.ts';

/**
 * The address of the API: as given, else where a running daemon noted that it answers; undefined where neither is known. What stands
 * in the store may be anything that the log-in of a daemon can write, and is shown in a line for a shell.
 */
export async function baseUrlOf(domain: Domain, given: string | undefined): Promise<string | undefined> {
  if (given !== undefined) return given;
  const recorded = await domain.store.daemon.address();
  return recorded !== undefined && isBaseUrl(recorded) ? recorded : undefined;
}
