import type { AuditRecord } from '../../../core/audit/events.ts';
import { listAudit } from '../../../core/audit/trail.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand } from '../../command.ts';
import type { Context } from '../../context.ts';
import { relativeTime, relativeTimeWidth } from '../../table/relative-time.ts';
import { type Column, printSummary, printTable } from '../../table/table.ts';
import { counted } from '../../terminal/sentence.ts';
import { filterFlags, filterOf, limit, recordJson, shownFilter } from './records.ts';

/** The default of `--limit`. */
const usualLimit = 50;

/** `hkctl audit list` */
export const list = defineCommand({
  name: 'list',
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
    if (context.json) {
      context.printJson(records.map(recordJson));
      return;
    }
    const filter = shownFilter(flags);
    const none = filter === '' ? 'No records.' : `No record matches ${filter}.`;
    await printTable(context, columnsOf(context, nowMs), records, none);
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
