import type { Key } from '../../core/port/keys.ts';
import { fullTime, timesOf } from '../table/shown-time.ts';

/** Decisions about a new key, as facts for its result and for the one-time panel. */
export function decidedFacts(key: Key, nowMs: number): [label: string, value: string][] {
  const { entity, allowedIps } = key;
  return [
    ['Entity', entity === null ? 'none (removed)' : `${entity.code}  ${entity.name}`],
    ['Expires', timesOf(key.expiresAtMs, key, nowMs)[0] ?? ''],
    [
      'Allowed',
      allowedIps.length === 0 ? 'from any address' : `only from ${allowedIps.join(', ')}`,
    ],
  ];
}

/** The sentence of a result: when the key expires, and from where it may be used. */
export function decidedSentence(key: Key, nowMs: number): string {
  const expiryClause =
    key.expiresAtMs === null
      ? 'It never expires'
      : `It expires ${timesOf(key.expiresAtMs, key, nowMs)[0]}`;
  const { allowedIps } = key;
  const addresses = allowedIps.length === 0 ? 'any address' : allowedIps.join(', ');
  return `${expiryClause} and may be used from ${addresses}.`;
}

/** The sentence after a rotation, which keeps the expiry; empty for a key that never expires. */
export function keptExpirySentence(key: Key): string {
  if (key.expiresAtMs === null) return '';
  const expiryTime = fullTime({ utc: false }, key.expiresAtMs, key.entity?.timezone ?? 'UTC');
  // An expiry by date ends with its day.
  const expiryDate = expiryTime.replace(/ 23:59:59 .*$/, '');
  return `It still expires ${expiryDate}; to extend, create a new key.`;
}
