import { HkctlError } from '../../../core/errors.ts';
import { type ReadingsSummary, readingTable } from '../../../core/readings/imports.ts';
import { counted, grouped } from '../../../core/text/words.ts';
import type { Context } from '../../command/context.ts';
import { printSentence } from '../../command/output.ts';

const mostShownLines = 20;

/** An empty CSV of readings: its header, and one example as a comment. */
export const readingsTemplate = `${Object.keys(readingTable.fields).join(',')}\n# OVEN-3-T1,2026-11-20T08:15:00.123456Z,182.4,good,Cel\n`;

/** Readings are only added, and the first value of an instant stays: there is nothing to replace. Throws `usage`. */
export function requireOnlyAdding({ replace }: { replace: boolean }): void {
  if (!replace) return;
  throw new HkctlError(
    'usage',
    '--replace is for records: readings are only added, and the first value of an instant stays.',
  );
}

/** Records have no sensor and no times without an offset, and are stored all or not at all. Throws `usage`. */
export function requireNoReadingFlags(flags: {
  sensor?: string;
  local: boolean;
  strict: boolean;
}): void {
  const readingFlags = [
    flags.sensor !== undefined && '--sensor',
    flags.local && '--local',
    flags.strict && '--strict',
  ].filter((flag) => flag !== false);
  if (readingFlags.length === 0) return;
  throw new HkctlError('usage', `${readingFlags.join(' and ')}: for readings, not for records.`);
}

/** Whether a scheduled job must notice the rejected readings: all were, or any were and it is strict. */
export function isRefused(
  { accepted, duplicates, rejectedCount }: ReadingsSummary,
  strict: boolean,
): boolean {
  if (rejectedCount === 0) return false;
  return strict || accepted + duplicates === 0;
}

export function printReadings(
  context: Context,
  { entity, dryRun, local }: { entity: string; dryRun: boolean; local: boolean },
  summary: ReadingsSummary,
): void {
  const { accepted, duplicates, rejected, rejectedCount, rejectedCodes } = summary;
  if (context.json) {
    const counts = {
      accepted,
      duplicates,
      rejected,
      rejected_count: rejectedCount,
      rejected_codes: rejectedCodes,
    };
    context.printJson({ resource: 'readings', entity, dry_run: dryRun, ...counts });
    return;
  }
  const counts = [
    `${grouped(accepted)} accepted`,
    counted(duplicates, 'duplicate'),
    `${grouped(rejectedCount)} rejected`,
  ].join(', ');
  if (dryRun) printSentence(context, `Nothing was stored. This would be: ${counts}`);
  else context.confirm(`Readings of ${entity}: ${counts}`);
  if (rejectedCount === 0) return;

  const codes = Object.entries(rejectedCodes).map(([code, count]) => `${code} ${grouped(count)}`);
  context.warn(`Rejected: ${codes.join(', ')}`);
  for (const { line, code, detail } of rejected.slice(0, mostShownLines))
    context.warn(`  line ${line}: ${code}: ${detail}`);
  const hiddenCount = rejectedCount - mostShownLines;
  if (hiddenCount > 0) context.warn(`  … and ${grouped(hiddenCount)} more; --json lists 1,000`);
  if (rejectedCodes.invalid_at !== undefined && !local)
    context.warn('hint: --local reads times such as 2026-11-20 08:15 by the clocks of the entity.');
}
