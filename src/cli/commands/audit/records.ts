import type { AuditRecord } from '../../../core/audit/events.ts';
import { HkctlError } from '../../../core/errors.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../../../core/time/instants.ts';
import { parseSpanMs } from '../../../core/time/spans.ts';
import { parsed, text } from '../../flags.ts';

/** The flag that begins a range of records. */
export const since = text(
  '--since <WHEN>',
  'only from then on: a span back such as 7d, a date (UTC) or an RFC 3339 instant',
);

/** The flag that bounds the number of records. */
export const limit = (which: string) => parsed('--limit <N>', `how many at most${which}`, parseLimit);

/** A record as `--json` shows it. */
export function recordJson(record: AuditRecord) {
  return {
    seq: record.seq,
    at: formatInstantMs(record.atMs),
    action: record.action,
    actor: record.actor,
    os_account: record.osAccount,
    target: record.target,
    outcome: record.outcome,
    detail: record.detail,
    tenant_id: record.tenantId,
    previous_hash: record.previousHash,
    hash: record.hash,
  };
}

/** Reads `--since` as epoch ms. Throws `usage`. */
export function instantOf(given: string | undefined, nowMs: number): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d+[smhdw]$/.test(given)) return nowMs - parseSpanMs(given);
  if (isDate(given)) return Date.parse(`${given}T00:00:00Z`);
  const instantMs = parseInstantMs(given);
  if (instantMs !== undefined) return instantMs;
  throw new HkctlError(
    'usage',
    `--since: "${given}" is neither a span such as 7d, nor a date, nor an RFC 3339 instant.`,
  );
}

function parseLimit(given: string): number {
  const limit = Number(given);
  if (/^\d+$/.test(given) && limit >= 1 && limit <= 100_000) return limit;
  throw new HkctlError('usage', `"${given}" is not a limit: give a number from 1 to 100000.`);
}
