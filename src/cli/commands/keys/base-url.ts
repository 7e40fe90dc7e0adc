import type { Domain } from '../../../core/access/actors.ts';

/** The address of the API: as given, else where a running daemon noted that it answers; undefined where neither is known. */
export async function baseUrlOf(domain: Domain, given: string | undefined): Promise<string | undefined> {
  return given ?? domain.store.daemon.address();
}
