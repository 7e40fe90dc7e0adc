import { HkctlError } from '../../../core/errors.ts';
import { importReadings, type ReadingsSummary, readingColumns } from '../../../core/readings/imports.ts';
import type { ImportFormat } from '../../../core/records/imports.ts';
import type { Context } from '../../command/context.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { streamNamedFile } from '../../terminal/named-files.ts';
import { createProgress } from '../../terminal/progress.ts';
import { counted, grouped } from '../../terminal/sentence.ts';

interface Flags {
  entity?: string;
  format?: ImportFormat;
  map: readonly (readonly [string, string])[];
  replace: boolean;
  dryRun: boolean;
}

const mostShown = 20;

/** An empty CSV of readings: its header, and one example as a comment. */
export const readingsTemplate = `${Object.keys(readingColumns).join(',')}\n# OVEN-3-T1,2026-11-20T08:15:00.123456Z,182.4,good,Cel\n`;

export async function runReadingsImport(context: Context, flags: Flags, file: string): Promise<void> {
  const flag = flags.replace ? '--replace' : flags.dryRun ? '--dry-run' : undefined;
  if (flag !== undefined) {
    const why = 'readings are only added, and the first value of an instant stays';
    throw new HkctlError('usage', `${flag} is for records: ${why}.`);
  }
  const { domain, actor } = await context.session();
  const site = await entityOrAsk(context, flags.entity);
  const read = await context.services.readingReader();
  const { bytes, options, progress } = openSource(context, file, flags, 'readings');
  const rows = read(bytes, options);
  const summary = await importReadings(domain, actor, { entity: site.code, rows }).finally(progress.end);
  show(context, site.code, summary);
}

function show(context: Context, entity: string, summary: ReadingsSummary): void {
  const { accepted, duplicates, rejected, rejectedCount, rejectedCodes } = summary;
  if (context.json) {
    const counts = { accepted, duplicates, rejected, rejected_count: rejectedCount, rejected_codes: rejectedCodes };
    context.printJson({ resource: 'readings', entity, ...counts });
    return;
  }
  context.confirm(
    `Readings of ${entity}: ${grouped(accepted)} accepted, ${counted(duplicates, 'duplicate')}, ${grouped(rejectedCount)} rejected`,
  );
  if (rejectedCount === 0) return;
  const codes = Object.entries(rejectedCodes).map(([code, count]) => `${code} ${grouped(count)}`);
  context.warn(`Rejected: ${codes.join(', ')}`);
  for (const { line, code, detail } of rejected.slice(0, mostShown)) context.warn(`  line ${line}: ${code}: ${detail}`);
  if (rejectedCount > mostShown) context.warn(`  … and ${grouped(rejectedCount - mostShown)} more; --json lists 1,000`);
}

/** Opens the file of an import at once, so that a wrong path is reported before anything is read; `-` is standard input. */
export function openSource(
  context: Context,
  file: string,
  { format, map }: Pick<Flags, 'format' | 'map'>,
  what: string,
) {
  const isInput = file === '-';
  const source = isInput
    ? { stream: bytesOf(context.io.stdin), bytes: undefined }
    : streamNamedFile(file, 'a file of records');
  const progress = createProgress(context, `Importing ${what}`);
  return {
    bytes: progress.watch(source.stream, source.bytes),
    options: { fileName: isInput ? undefined : file, format, map: Object.fromEntries(map) },
    progress,
  };
}

async function* bytesOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
