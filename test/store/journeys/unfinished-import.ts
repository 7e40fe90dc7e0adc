import type { ImportRequest } from '../../../src/core/port/records.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import { writeImport } from '../../../src/store/sqlite/records/imports.ts';
import { importInto } from '../conformance/records/stored-records.ts';
import type { Plant } from '../stores.ts';

/**
 * Imports parts as a process does that dies before it has moved the event into the trail: whoever opens the store next does
 * so.
 */
export async function importUnfinished(
  path: string,
  plant: Plant,
  rows: Iterable<Readonly<Record<string, unknown>>>,
  options: { replace: boolean; nowUs: number },
): Promise<void> {
  const { records } = filesOf(path);
  const connection = openFile(records);
  try {
    const unfinished = {
      import: (request: ImportRequest) => writeImport(connection, records, request, () => {}),
    };
    await importInto({ records: unfinished }, plant, parts, rows, options);
  } finally {
    connection.close();
  }
}
