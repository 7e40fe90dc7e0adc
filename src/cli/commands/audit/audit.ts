import { type AuditAction, actions } from '../../../core/access/roles.ts';
import { exportAudit, listAudit } from '../../../core/audit/trail.ts';
import { HkctlError } from '../../../core/errors.ts';
import { type AuditFilter, type AuditRecord, auditOutcomes } from '../../../core/port/audit.ts';
import { shellWord } from '../../../core/text/quoting.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import { counted, didYouMean } from '../../../core/text/words.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../../../core/time/instants.ts';
import { meantBound } from '../../../core/time/meant-values.ts';
import { dayMs, meantSpan, parseSpanMs } from '../../../core/time/spans.ts';
import { defineCommand, type Noun } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import {
  type FlagValues,
  limitFlag,
  oneOf,
  parsed,
  requireOneOf,
  textFlag,
} from '../../command/flags.ts';
import { printJsonArray } from '../../command/output.ts';
import { relativeTime, relativeTimeWidth } from '../../table/shown-time.ts';
import { type Column, columnsFlag, printSummary, printTable } from '../../table/table.ts';
import { auditVerifyCommand } from './verify.ts';

const filterFlags = {
  since: textFlag(
    '--since <WHEN>',
    'only from then on: a span back such as 7d, a date (UTC) or an RFC 3339 instant',
  ),
  until: textFlag('--until <WHEN>', 'only until then; a date with all of its day'),
  actor: textFlag(
    '--actor <LOGIN>',
    'only of this login, or of this account of the system if it had no profile',
  ),
  // Object.keys loses the literal types of a const object.
  action: parsed('--action <NAME>', 'only this action, such as key.rotate', (text) =>
    requireOneOf(text, Object.keys(actions) as AuditAction[]),
  ),
  target: textFlag('--target <TEXT>', 'only targets that contain this, such as a prefix'),
  outcome: oneOf('--outcome <OUTCOME>', auditOutcomes, 'only what ended so'),
};

const defaultLimit = 50;

const recordFields = [
  'seq',
  'at',
  'action',
  'actor',
  'os_account',
  'target',
  'outcome',
  'detail',
  'tenant_id',
  'previous_hash',
  'hash',
] as const satisfies readonly (keyof ReturnType<typeof recordJson>)[];

const listCommand = defineCommand({
  summary: 'List what happened, newest first',
  readOnly: true,
  fields: recordFields,
  flags: {
    ...filterFlags,
    limit: limitFlag(` (default ${defaultLimit})`),
    columns: columnsFlag,
  },
  examples: [
    ['hkctl audit list --since 7d', 'the last week'],
    ['hkctl audit list --target hk_Ab3dE', 'the life of a key'],
    ['hkctl audit list --outcome denied --since 30d', 'what was refused'],
    ['hkctl audit list --limit 1000 --json', 'for a program'],
  ],
  needs: () => ['audit.read', 'audit'],
  async run(context, flags, _args, { domain, actor }) {
    const nowMs = domain.clock();
    const { limit = defaultLimit } = flags;
    const filter = filterOf(flags, nowMs);
    const records = await listAudit(domain, actor, { ...filter, limit });

    const filterText = shownFilter(flags);
    const none = filterText === '' ? 'No records.' : `No record matches ${filterText}.`;
    await printTable(context, columnsOf(context, nowMs), records, {
      json: recordJson,
      none,
      chosen: flags.columns,
    });
    if (records.length === 0) return;

    const hasMore = records.length === limit;
    const recordCount = counted(records.length, 'record');
    const counts = [hasMore ? `the newest ${recordCount}` : recordCount];
    const undoneCount = records.filter(({ outcome }) => outcome !== 'done').length;
    if (undoneCount > 0) counts.push(`${undoneCount} not done`);

    const filterWords = filterText === '' ? '' : ` ${filterText}`;
    const nextCommand = hasMore
      ? `hkctl audit list${filterWords} --limit ${limit * 10}`
      : 'hkctl audit verify';
    await printSummary(context, counts, nextCommand);
  },
});

function columnsOf(context: Context, nowMs: number): Column<AuditRecord>[] {
  const { style, io, utc } = context;
  const isRelative = io.stdout.isTTY && !utc;
  return [
    { heading: 'SEQ', cell: ({ seq }) => String(seq) },
    {
      heading: isRelative ? 'WHEN' : 'AT (UTC)',
      name: 'at',
      cell: ({ atMs }) => (isRelative ? relativeTime(atMs, nowMs) : formatInstantMs(atMs)),
      width: isRelative ? relativeTimeWidth : 0,
    },
    { heading: 'ACTION', cell: ({ action }) => action, leaveOut: 0 },
    { heading: 'TARGET', cell: ({ target }) => target, min: 12, continues: true },
    {
      heading: 'OUTCOME',
      cell: ({ outcome }) => outcome,
      paint: (text, { outcome }) => (outcome === 'done' ? text : style.red(text)),
      leaveOut: 1,
    },
    { heading: 'BY', cell: authorOf, min: 8, leaveOut: 2 },
    { heading: 'DETAIL', cell: detailOf, min: 16, leaveOut: 3 },
  ];
}

function authorOf({ actor, osAccount }: AuditRecord): string {
  if (!actor) return osAccount;
  return actor.login === osAccount ? actor.login : `${actor.login} (${osAccount})`;
}

function detailOf({ detail }: AuditRecord): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

const exportCommand = defineCommand({
  summary: 'Print all records, oldest first, one JSON object a line',
  readOnly: true,
  fields: recordFields,
  flags: { ...filterFlags, limit: limitFlag(', the oldest (default all)') },
  examples: [
    ['hkctl audit export > audit.ndjson', 'everything'],
    ['hkctl audit export --since 30d --json', 'one JSON array'],
  ],
  needs: () => ['audit.read', 'audit'],
  async run(context, flags, _args, { domain, actor }) {
    const filter = { ...filterOf(flags, domain.clock()), limit: flags.limit };
    const pages = exportAudit(domain, actor, filter);
    if (context.json) {
      await printJsonArray(context, pages, recordJson);
      return;
    }
    for await (const page of pages)
      for (const record of page) context.printDocument(toSafeJson(recordJson(record)));
  },
});

function filterOf(flags: FlagValues<typeof filterFlags>, nowMs: number): AuditFilter {
  const { since, until, actor, action, target, outcome } = flags;
  const sinceMs = instantOf('--since', since, nowMs, 'first');
  const untilMs = instantOf('--until', until, nowMs, 'last');
  if (sinceMs !== undefined && untilMs !== undefined && untilMs < sinceMs) {
    throw new HkctlError('usage', `--until must be after --since: ${until} is before ${since}.`);
  }
  const filter = { sinceMs, untilMs, actor, action, target, outcome };
  const typedEntries = Object.entries(filter).filter(([, value]) => value !== undefined);
  return Object.fromEntries(typedEntries);
}

function shownFilter(flags: FlagValues<typeof filterFlags>): string {
  const flagNames = ['since', 'until', 'actor', 'action', 'target', 'outcome'] as const;
  const words = flagNames.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  });
  return words.join(' ');
}

function recordJson(record: AuditRecord) {
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

/** Reads an instant as epoch ms; a date stands for its first or its last one. Throws `usage`. */
function instantOf(
  flagName: string,
  typedInstant: string | undefined,
  nowMs: number,
  dayBound: 'first' | 'last',
): number | undefined {
  if (typedInstant === undefined) return undefined;
  if (/^\d+[smhdw]$/.test(typedInstant)) return nowMs - parseSpanMs(typedInstant);
  if (isDate(typedInstant)) {
    const startMs = Date.parse(`${typedInstant}T00:00:00Z`);
    return dayBound === 'last' ? startMs + dayMs - 1 : startMs;
  }
  const instantMs = parseInstantMs(typedInstant);
  if (instantMs !== undefined) return instantMs;

  const meantInstant = meantBound(typedInstant) ?? meantSpan(typedInstant);
  throw new HkctlError(
    'usage',
    `${flagName}: "${typedInstant}" is neither a span such as 7d, nor a date, nor an RFC 3339 instant.`,
    { hint: didYouMean(meantInstant).trim() || undefined },
  );
}

export default {
  verbs: { list: listCommand, verify: auditVerifyCommand, export: exportCommand },
} satisfies Noun;
