import type { Key } from '../port/keys.ts';
import { dayMs } from '../time/spans.ts';

/** A key that expires within this time is shown as urgent: its replacement has to be planned. */
export const expiresSoonMs = 14 * dayMs;

/** A key that was not used for this time is probably not needed any more. */
export const unusedLongMs = 90 * dayMs;

/** Whether a key that is not revoked expires within 14 days, but has not expired yet. */
export function expiresSoon({ revokedAtMs, expiresAtMs }: Pick<Key, 'revokedAtMs' | 'expiresAtMs'>, nowMs: number) {
  if (revokedAtMs !== null || expiresAtMs === null) return false;
  return expiresAtMs > nowMs && expiresAtMs <= nowMs + expiresSoonMs;
}
