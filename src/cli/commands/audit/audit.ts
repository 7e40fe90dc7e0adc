import { exportAudit, listAudit } from '../../../core/audit/trail.ts';
import type { AuditRecord } from '../../../core/port/audit.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand, type Noun } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { printJsonArray } from '../../command/output.ts';
import { relativeTime, relativeTimeWidth } from '../../table/shown-time.ts';
import { type Column, printSummary, printTable } from '../../table/table.ts';
import { counted } from '../../terminal/sentence.ts';
import { filterFlags, filterOf, limit, recordJson, shownFilter } from './records.ts';
import { verify } from './verify.ts';

const usualLimit = 50;

const list = defineCommand({
  summary: 'List what happened, newest first',
  readOnly: true,
  flags: { ...filterFlags, limit: limit(` (default ${usualLimit})`) },
  examples: [
    ['hkctl audit list --since 7d', 'the last week'],
    ['hkctl audit list --target hk_Ab3dE', 'the life of a key'],
    ['hkctl audit list --outcome denied --since 30d', 'what was refused'],
    ['hkctl audit list --limit 1000 --json', 'for a program'],
  ],
  async run(context, flags) {
    const { domain, actor } = await context.session();
    const nowMs = domain.clock();
    const { limit = usualLimit } = flags;
    const records = await listAudit(domain, actor, { ...filterOf(flags, nowMs), limit });
    const filter = shownFilter(flags);
    const none = filter === '' ? 'No records.' : `No record matches ${filter}.`;
    await printTable(context, columnsOf(context, nowMs), records, { json: recordJson, none });
    if (records.length === 0) return;
    const refused = records.filter(({ outcome }) => outcome !== 'done').length;
    const newest = records.length === limit ? 'the newest ' : '';
    const counts = [`${newest}${counted(records.length, 'record')}`, ...(refused > 0 ? [`${refused} not done`] : [])];
    await printSummary(
      context,
      counts,
      newest ? `hkctl audit list${filter === '' ? '' : ` ${filter}`} --limit ${limit * 10}` : 'hkctl audit verify',
    );
  },
});

function columnsOf(context: Context, nowMs: number): Column<AuditRecord>[] {
  const { style, io, utc } = context;
  const isRelative = io.stdout.isTTY && !utc;
  return [
    { heading: 'SEQ', cell: ({ seq }) => String(seq) },
    {
      heading: isRelative ? 'WHEN' : 'AT (UTC)',
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

const exportRecords = defineCommand({
  summary: 'Print all records, oldest first, one JSON object a line',
  readOnly: true,
  flags: { ...filterFlags, limit: limit(', the oldest (default all)') },
  examples: [
    ['hkctl audit export > audit.ndjson', 'everything'],
    ['hkctl audit export --since 30d --json', 'one JSON array'],
  ],
  async run(context, flags) {
    const { domain, actor } = await context.session();
    const filter = { ...filterOf(flags, domain.clock()), limit: flags.limit };
    const pages = exportAudit(domain, actor, filter);
    if (context.json) await printJsonArray(context, pages, recordJson);
    else
      for await (const page of pages) for (const record of page) context.printDocument(toSafeJson(recordJson(record)));
  },
});

export default { verbs: { list, verify, export: exportRecords } } satisfies Noun;
