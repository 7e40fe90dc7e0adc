import { HkctlError } from '../../../core/errors.ts';
import { importReadings, type ReadingsSummary, readingColumns } from '../../../core/readings/imports.ts';
import type { ImportFormat } from '../../../core/records/imports.ts';
import type { Context } from '../../command/context.ts';
import { entityOrAsk } from '../../questions/entity.ts';
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
  for (const [flag, isGiven] of [
    ['--replace', flags.replace],
    ['--dry-run', flags.dryRun],
  ] as const) {
    if (isGiven) {
      throw new HkctlError(
        'usage',
        `${flag} is for records: readings are only added, and the first value of an instant stays.`,
      );
    }
  }
  const { domain, actor } = await context.session();
  const site = await entityOrAsk(context, domain, actor, flags.entity);
  const read = await context.services.readingReader();
  const source = openSource(context, file);
  const progress = createProgress(context.io, 'Importing readings', source.bytes, context.json);
  try {
    const rows = read(progress.watch(source.stream), {
      fileName: file === '-' ? undefined : file,
      format: flags.format,
      map: Object.fromEntries(flags.map),
    });
    const summary = await importReadings(domain, actor, { entity: site.code, rows });
    progress.end();
    show(context, site.code, summary);
  } finally {
    progress.end();
  }
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
): { stream: AsyncIterable<Uint8Array>; bytes: number | undefined } {
  if (file === '-') return { stream: bytesOf(context.io.stdin), bytes: undefined };
  return streamNamedFile(file, 'a file of records');
}

async function* bytesOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
