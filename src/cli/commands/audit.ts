import { damageText } from '../../core/audit/damage.ts';
import type { AuditRecord } from '../../core/audit/events.ts';
import { exportAudit, listAudit, verifyAudit } from '../../core/audit/trail.ts';
import { HkctlError } from '../../core/errors.ts';
import { parseSpanMs } from '../../core/operations/settings.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import { formatInstantMs, isDate, parseInstantMs } from '../../core/time/instants.ts';
import { defineCommand, type Noun } from '../command.ts';
import { parsed, text } from '../flags.ts';
import { printJsonArray, printTable } from '../terminal/output.ts';
import { counted } from '../terminal/sentence.ts';
import { readAnchors } from './audit-anchors.ts';

const since = text('--since <WHEN>', 'only from then on: a span back such as 7d, a date (UTC) or an RFC 3339 instant');

const limit = (which: string) => parsed('--limit <N>', `how many at most${which}`, parseLimit);

const list = defineCommand({
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

const verify = defineCommand({
  name: 'verify',
  summary: 'Check that no record was altered, removed, put in or moved',
  description:
    'Names the first record that does not fit the chain (exit code 5). Keep the head hash it prints elsewhere, or the log of the daemon, which names the head whenever it changed, and give them with --head and --anchors later: then a cut tail, a chain written anew and an older store put back are noticed, too.',
  readOnly: true,
  flags: {
    head: parsed('--head <HASH>', 'a head hash printed earlier, which the chain must still hold', parseHash),
    anchors: text('--anchors <FILE>', "the daemon's log, also among other lines; - = standard input"),
  },
  examples: [
    ['hkctl audit verify', 'prints the head hash'],
    ['hkctl audit verify --head "$(cat head.txt)"', 'against a head that was kept elsewhere'],
    ['journalctl -u hkctl -o cat | hkctl audit verify --anchors -', "against the daemon's log"],
  ],
  async run(context, { head, anchors: file }) {
    const { domain, actor } = await context.session();
    const anchors = file === undefined ? undefined : await readAnchors(context.io, file);
    const report = await verifyAudit(domain, actor, { head, anchors });
    const { records, headHash, broken, damaged, knownHeadFound } = report;
    const fault = broken ?? report.anchors?.broken ?? null;
    if (context.json) {
      context.printJson({
        ok: fault === null && knownHeadFound !== false,
        records,
        head_hash: headHash,
        broken,
        ...(damaged.length > 0 && { damaged }),
        ...(knownHeadFound !== undefined && { known_head_found: knownHeadFound }),
        ...(report.anchors && { anchors: report.anchors }),
      });
    } else if (fault === null) {
      context.print(`${records} records, the chain is whole.`, `head ${headHash}`);
      if (report.anchors) context.print(`It holds all of ${counted(report.anchors.count, 'head')} in the log.`);
    }
    if (damaged.length > 0) context.say(`warning: ${damageText(damaged)}`);
    if (broken) {
      throw new HkctlError('state_forbids', `The audit trail is broken at record ${broken.seq}: ${broken.reason}.`, {
        hint: `The ${records} records before it fit. Compare with an export or a backup from before.`,
      });
    }
    if (fault) {
      throw new HkctlError(
        'state_forbids',
        `The audit trail is not the one of the log from record ${fault.seq} on: ${fault.reason}.`,
        {
          hint: 'The end was cut off, the chain was written anew, or an older store was put back: a record store.restore says when.',
        },
      );
    }
    if (knownHeadFound === false) {
      throw new HkctlError('state_forbids', 'The chain does not hold the given head: it was written anew or cut off.');
    }
  },
});

const exportRecords = defineCommand({
  name: 'export',
  summary: 'Print all records, oldest first, one JSON object a line',
  readOnly: true,
  flags: { since, limit: limit(', the oldest (default all)') },
  examples: [
    ['hkctl audit export > audit.ndjson', 'everything'],
    ['hkctl audit export --since 30d --json', 'one JSON array'],
  ],
  async run(context, flags) {
    const { domain, actor } = await context.session();
    const range = { sinceMs: instantOf(flags.since, domain.clock()), limit: flags.limit };
    const records = exportAudit(domain, actor, range);
    if (context.json) await printJsonArray(context, singly(records));
    else for await (const record of records) context.printDocument(toSafeJson(recordJson(record)));
  },
});

/** `hkctl audit …` */
export const audit: Noun = {
  name: 'audit',
  summary: 'The audit trail: who did what, when, and was refused what',
  verbs: [list, verify, exportRecords],
};

async function* singly(records: AsyncIterable<AuditRecord>) {
  for await (const record of records) yield [recordJson(record)];
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

function instantOf(given: string | undefined, nowMs: number): number | undefined {
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
  throw new HkctlError('usage', `"${given}" is no limit: give a number from 1 to 100000.`);
}

function parseHash(given: string): string {
  if (/^[0-9a-f]{64}$/.test(given)) return given;
  throw new HkctlError('usage', 'A head hash has 64 hexadecimal digits.');
}
