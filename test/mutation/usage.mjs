// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text.

const counted = ['test/http/auth/usage.test.ts'];
const shown = ['test/cli/commands/keys/usage.test.ts'];
const status = ['test/cli/commands/status.test.ts'];
const engines = ['test/store/conformance/sqlite.test.ts', 'test/store/conformance/postgres.test.ts'];
const trail = ['test/cli/commands/audit/list.test.ts'];
const recorder = 'src/http/auth/usage-recorder.ts';
const tally = 'src/http/request/key-tally.ts';
const usage = 'src/core/keys/usage.ts';
const sqlite = 'src/store/sqlite/registry/usage.ts';
const postgres = 'src/store/postgres/registry/usage.ts';
const records = 'src/store/registry/audit.ts';

/** Of the usage of keys, of what reports rejected readings, and of the filters of the audit trail; see `mutants.mjs`. */
export const usageMutants = [
  // --- counting
  [tally, ' || nowMs < today.fromMs || nowMs >= today.untilMs', '', ...counted],
  [tally, ' || nowMs < today.fromMs', '', ...counted],
  [tally, "if (code !== undefined) this.#find('refused', code).count++;", '', ...counted],
  [tally, '      counter.lastAtMs = nowMs;\n', '', ...counted],
  [tally, 'counter.code === code && counter.kind === kind', 'counter.kind === kind', ...counted],
  [recorder, 'waiting.length < most', 'true', ...counted],
  [recorder, 'tally.mergedAtMs = usedAtMs[index] ?? 0;', 'void index, tally;', ...counted],
  [recorder, 'for (const tally of tallies) if (!tally.isWaiting) tally.isWaiting = add(tally);', '', ...counted],
  [recorder, 'counter.count -= counts[index]?.count ?? 0', 'counter.count = 0', ...counted],
  [recorder, 'counter.count -= counts[index]?.count ?? 0', 'counter.count -= 0', ...counted],
  ['src/http/pipeline.ts', 'countRequest(this.code)', 'countRequest(undefined)', ...counted],
  ['src/http/ingest/ingest.ts', 'refused.at(-1)', 'refused[0]', ...counted],
  ['src/http/monitoring/warnings.ts', '      before.heldBack = all;\n', '', 'test/http/monitoring/warnings.test.ts'],
  [
    'src/core/readings/rejections.ts',
    'printable(redactSecrets(name.slice(0, searchedLength)))',
    'printable(name.slice(0, searchedLength))',
    ...counted,
  ],
  // --- days
  [usage, 'if (!isSteady) return undefined;', '', ...counted],
  [usage, 'first: today - usageDays, last: today + 1', 'first: today - usageDays + 1, last: today', ...counted],
  [usage, 'first: today - usageDays + 1, last: today }', 'first: today - usageDays, last: today }', ...counted],
  [usage, 'harmless.has(code) || ', '', ...shown],
  [usage, 'day < today - 1 || ', '', ...shown],
  [usage, 'lastAtMs <= nowMs - dayMs', 'lastAtMs < nowMs - dayMs', ...status],
  [usage, 'codes.sort((a, b) => b.count - a.count);', 'codes.sort((a, b) => a.count - b.count);', ...status],
  // --- the stores
  [sqlite, 'min(count + excluded.count, ', 'min(excluded.count, ', ...engines],
  [
    sqlite,
    'iif(excluded.last_at_ms < last_at_ms, last_sensor, excluded.last_sensor)',
    'excluded.last_sensor',
    ...engines,
  ],
  [
    sqlite,
    'union all select ${countColumns} from key_usage where day > $2',
    'union all select ${countColumns} from key_usage where day > $2 + 100',
    ...engines,
  ],
  [postgres, 'least(u.count + excluded.count, ', 'least(excluded.count, ', ...engines],
  [postgres, 'greatest(u.last_at_ms, excluded.last_at_ms)', 'excluded.last_at_ms', ...engines],
  [postgres, " || ${oldDays('day > $2')}", '', ...engines],
  ['src/store/registry/usage.ts', ' and tenant_id = $1', ' and $1 is not null', ...engines],
  // --- what is shown
  ['src/cli/commands/keys/usage.ts', 'sum === 0 ? none : ', '', 'test/cli/commands/keys/usage-bars.test.ts'],
  [
    'src/cli/commands/keys/usage.ts',
    'Math.ceil((sum / most)',
    'Math.floor((sum / most)',
    'test/cli/commands/keys/usage-bars.test.ts',
  ],
  ['src/cli/commands/status.ts', '...rejectionLines(found.rejections),', '', ...status],
  ['src/core/operations/status.ts', 'readings_rejected: rejections.length > 0', 'readings_rejected: false', ...status],
  // --- the audit trail
  [records, 'actor_login is null and ', '', ...engines],
  [records, 'hasTarget(smallLetters(target), place)', 'hasTarget(target, place)', ...engines],
  [records, '`at_ms <= ${place(untilMs)}`', 'undefined', ...engines],
  [records, '`seq ${beyond} ${place(after ?? begin)}`', 'undefined', 'test/store/long-trail.test.ts'],
  [records, 'order by seq ${order} limit', 'limit', 'test/store/long-trail.test.ts'],
  ['src/cli/commands/audit/audit.ts', "ofDay === 'last' ? dayMs - 1 : 0", '0', ...trail],
  ['src/cli/table/table.ts', "continues ? wrapWords(cell.split(' '), width) : ", '', ...trail],
];
