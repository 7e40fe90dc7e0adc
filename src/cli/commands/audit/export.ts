import type { AuditRecord } from '../../../core/audit/events.ts';
import { exportAudit } from '../../../core/audit/trail.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import { defineCommand } from '../../command.ts';
import { printJsonArray } from '../../terminal/output.ts';
import { filterFlags, filterOf, limit, recordJson } from './records.ts';

/** `hkctl audit export` */
export const exportRecords = defineCommand({
  name: 'export',
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
    const records = exportAudit(domain, actor, filter);
    if (context.json) await printJsonArray(context, singly(records));
    else for await (const record of records) context.printDocument(toSafeJson(recordJson(record)));
  },
});

async function* singly(records: AsyncIterable<AuditRecord>) {
  for await (const record of records) yield [recordJson(record)];
}
