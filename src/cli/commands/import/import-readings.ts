import { HkctlError } from '../../../core/errors.ts';
import { type ReadingsSummary, readingTable } from '../../../core/readings/imports.ts';
import type { Context } from '../../command/context.ts';
import { counted, grouped } from '../../terminal/sentence.ts';

const mostShown = 20;

/** An empty CSV of readings: its header, and one example as a comment. */
export const readingsTemplate = `${Object.keys(readingTable.fields).join(',')}\n# OVEN-3-T1,2026-11-20T08:15:00.123456Z,182.4,good,Cel\n`;

/** Refuses flags that have no meaning for readings: `usage`. */
export function requireOnlyAdding({
  replace,
  dryRun,
}: {
  replace: boolean;
  dryRun: boolean;
}): void {
  const flag = replace ? '--replace' : dryRun ? '--dry-run' : undefined;
  if (flag === undefined) return;
  const why = 'readings are only added, and the first value of an instant stays';
  throw new HkctlError('usage', `${flag} is for records: ${why}.`);
}

export function printReadings(context: Context, entity: string, summary: ReadingsSummary): void {
  const { accepted, duplicates, rejected, rejectedCount, rejectedCodes } = summary;
  if (context.json) {
    const counts = {
      accepted,
      duplicates,
      rejected,
      rejected_count: rejectedCount,
      rejected_codes: rejectedCodes,
    };
    context.printJson({ resource: 'readings', entity, ...counts });
    return;
  }
  context.confirm(
    `Readings of ${entity}: ${grouped(accepted)} accepted, ${counted(duplicates, 'duplicate')}, ${grouped(rejectedCount)} rejected`,
  );
  if (rejectedCount === 0) return;
  const codes = Object.entries(rejectedCodes).map(([code, count]) => `${code} ${grouped(count)}`);
  context.warn(`Rejected: ${codes.join(', ')}`);
  for (const { line, code, detail } of rejected.slice(0, mostShown))
    context.warn(`  line ${line}: ${code}: ${detail}`);
  if (rejectedCount > mostShown)
    context.warn(`  … and ${grouped(rejectedCount - mostShown)} more; --json lists 1,000`);
}
