import { activeRefusalOf } from '../../../core/keys/authentication.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import { refusals } from '../../../core/keys/refusals.ts';
import type { Key } from '../../../core/port/keys.ts';

/** Why an active key is refused, as lists show it: `refused: entity inactive`; empty for any other key. */
export function refusedText(key: Key, nowMs: number): string {
  const refusal = activeRefusalOf(key, nowMs);
  return refusal === undefined ? '' : `refused: ${refusals[refusal].short}`;
}

/** The state of a key for people: `Active, but refused: entity inactive`. */
export function statusText(key: Key, nowMs: number): string {
  const refused = refusedText(key, nowMs);
  return refused === '' ? statusOf(key, nowMs) : `${statusOf(key, nowMs)}, but ${refused}`;
}
