import { type AuditAction, actions } from '../../../core/access/roles.ts';
import { HkctlError } from '../../../core/errors.ts';
import { type AuditFilter, type AuditRecord, auditOutcomes } from '../../../core/port/audit.ts';
import { shellWord } from '../../../core/text/shell.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../../../core/time/instants.ts';
import { dayMs, parseSpanMs } from '../../../core/time/spans.ts';
import { type FlagValues, oneOf, parsed, requireOneOf, text } from '../../command/flags.ts';

export const filterFlags = {
  since: text('--since <WHEN>', 'only from then on: a span back such as 7d, a date (UTC) or an RFC 3339 instant'),
  until: text('--until <WHEN>', 'only until then; a date with all of its day'),
  actor: text('--actor <LOGIN>', 'only of this login, or of this account of the system if it had no profile'),
  // The keys of that very object.
  action: parsed('--action <NAME>', 'only this action, such as key.rotate', (given) =>
    requireOneOf(given, Object.keys(actions) as AuditAction[]),
  ),
  target: text('--target <TEXT>', 'only targets that contain this, such as a prefix'),
  outcome: oneOf('--outcome <OUTCOME>', auditOutcomes, 'only what ended so'),
};

export function filterOf(given: FlagValues<typeof filterFlags>, nowMs: number): AuditFilter {
  const { since, until, actor, action, target, outcome } = given;
  const sinceMs = instantOf('--since', since, nowMs, 'first');
  const untilMs = instantOf('--until', until, nowMs, 'last');
  if (sinceMs !== undefined && untilMs !== undefined && untilMs < sinceMs) {
    throw new HkctlError('usage', '--until is before --since.');
  }
  const filter = { sinceMs, untilMs, actor, action, target, outcome };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export function shownFilter(given: FlagValues<typeof filterFlags>): string {
  const names = ['since', 'until', 'actor', 'action', 'target', 'outcome'] as const;
  return names.flatMap((name) => (given[name] === undefined ? [] : [`--${name} ${shellWord(given[name])}`])).join(' ');
}

export const limit = (which: string) => parsed('--limit <N>', `how many at most${which}`, parseLimit);

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

/** Reads an instant as epoch ms: of a date the first or the last one. Throws `usage`. */
function instantOf(
  flag: string,
  given: string | undefined,
  nowMs: number,
  ofDay: 'first' | 'last',
): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d+[smhdw]$/.test(given)) return nowMs - parseSpanMs(given);
  if (isDate(given)) return Date.parse(`${given}T00:00:00Z`) + (ofDay === 'last' ? dayMs - 1 : 0);
  const instantMs = parseInstantMs(given);
  if (instantMs !== undefined) return instantMs;
  throw new HkctlError(
    'usage',
    `${flag}: "${given}" is neither a span such as 7d, nor a date, nor an RFC 3339 instant.`,
  );
}

function parseLimit(given: string): number {
  const limit = Number(given);
  if (/^\d+$/.test(given) && limit >= 1 && limit <= 100_000) return limit;
  throw new HkctlError('usage', `"${given}" is not a limit: give a number from 1 to 100000.`);
}
