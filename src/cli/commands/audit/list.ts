import { listAudit } from '../../../core/audit/trail.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand } from '../../command.ts';
import { printTable } from '../../terminal/output.ts';
import { instantOf, limit, recordJson, since } from './records.ts';

/** `hkctl audit list` */
export const list = defineCommand({
  name: 'list',
  summary: 'List what happened, newest first',
  readOnly: true,
  flags: { since, limit: limit(' (default 50)') },
  examples: [
    ['hkctl audit list --since 7d', 'the last week'],
    ['hkctl audit list --limit 1000 --json', 'for a program'],
  ],
  async run(context, flags) {
    const { domain, actor } = await context.session();
    const sinceMs = instantOf(flags.since, domain.clock());
    const records = await listAudit(domain, actor, { sinceMs, limit: flags.limit ?? 50 });
    if (context.json) {
      context.printJson(records.map(recordJson));
      return;
    }
    const rows = records.map((record) => [
      String(record.seq),
      formatInstantMs(record.atMs),
      record.action,
      record.target,
      record.outcome === 'done' ? 'done' : context.style.red(record.outcome),
      record.actor
        ? `${record.actor.login}${record.actor.login === record.osAccount ? '' : ` (${record.osAccount})`}`
        : record.osAccount,
      Object.entries(record.detail)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    ]);
    await printTable(context, ['SEQ', 'AT (UTC)', 'ACTION', 'TARGET', 'OUTCOME', 'BY', 'DETAIL'], rows, 'No records.');
  },
});
