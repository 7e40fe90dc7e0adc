import type { FiledKey } from '../../core/keys/secret-files/into-file.ts';
import type { Key } from '../../core/port/keys.ts';
import type { Printer } from '../command/printer.ts';
import { fullTime, timesOf } from '../table/shown-time.ts';

/** Decisions about a new key, as facts for its result and for the one-time panel. */
export function decidedFacts(key: Key, nowMs: number): [label: string, value: string][] {
  const { entity, allowedIps } = key;
  const entityText = entity === null ? 'none (removed)' : `${entity.code}  ${entity.name}`;
  const [expiryText = ''] = timesOf(key.expiresAtMs, key, nowMs);
  const allowedText =
    allowedIps.length === 0 ? 'from any address' : `only from ${allowedIps.join(', ')}`;
  return [
    ['Entity', entityText],
    ['Expires', expiryText],
    ['Allowed', allowedText],
  ];
}

/** The sentence of a result: when the key expires, and from where it may be used. */
export function decidedSentence(key: Key, nowMs: number): string {
  const { allowedIps, expiresAtMs } = key;
  const [expiryText] = timesOf(expiresAtMs, key, nowMs);
  const expiryClause = expiresAtMs === null ? 'It never expires' : `It expires ${expiryText}`;
  const addresses = allowedIps.length === 0 ? 'any address' : allowedIps.join(', ');
  return `${expiryClause} and may be used from ${addresses}.`;
}

/** The sentence after a rotation: when the successor expires; empty for a key that never expires. */
export function successorExpirySentence(key: Key, revoked: Key | null | undefined): string {
  if (key.expiresAtMs === null) return '';

  const timezone = key.entity?.timezone ?? 'UTC';
  const expiryTime = fullTime({ utc: false }, key.expiresAtMs, timezone);
  // An expiry by date ends with its day.
  const expiryDate = expiryTime.replace(/ 23:59:59 .*$/, '');
  if (revoked && revoked.expiresAtMs !== key.expiresAtMs) {
    return `It expires ${expiryDate}: new keys of the organization last no longer.`;
  }
  return `It still expires ${expiryDate}; to extend, create a new key.`;
}

/** Says that a file of an earlier run was removed. */
export function sayDiscarded({ say }: Printer, { discarded }: FiledKey): void {
  if (discarded === undefined) return;

  say(`Discarded ${discarded.path}: ${discarded.why}.`);
}
