import { HkctlError } from '../core/errors.ts';
import type { FieldOfColumn, ImportTable } from '../core/records/columns.ts';

/** The rule against a text as a formula, `="00123"`, by which people keep leading zeros in a spreadsheet. */
export const formulaRule =
  'the value alone, without =" before it and " behind it: no formula is read';

export function isFormula(cell: string): boolean {
  return cell.startsWith('="') && cell.endsWith('"');
}

/**
 * Refuses tables of readings as other programs write them, with the way out: CSV of InfluxDB, and one column for each sensor.
 * Throws `bad_input`.
 */
export function requireLongTable(
  table: ImportTable,
  header: readonly string[],
  fieldOf: FieldOfColumn,
): void {
  if (table.name !== 'readings') return;

  const isAnnotated = /^#(?:group|datatype|default)$/i.test(header[0] ?? '');
  const unknownColumns = header.filter((column) => fieldOf(column) === undefined);
  if (isAnnotated || ['_time', '_value'].every((column) => unknownColumns.includes(column))) {
    const lines = isAnnotated ? 'Remove the lines that begin with #, and map' : 'Map';
    throw new HkctlError('bad_input', 'The file is CSV of InfluxDB, not a table of readings.', {
      hint: `${lines} its columns: --map _time=at --map _value=value --map TAG=sensor, and --map COLUMN=- for each other one.`,
    });
  }

  const timeColumn = header.find((column) =>
    /^(?:at|time|timestamp|date.*|datum|zeit.*)$/i.test(column),
  );
  const sensorColumns = unknownColumns.filter((column) => column !== timeColumn);
  const isLong = header.some((column) => fieldOf(column) === 'value');
  const [firstSensor] = sensorColumns;
  if (isLong || timeColumn === undefined || firstSensor === undefined) return;

  const timeMapping = fieldOf(timeColumn) === undefined ? ` --map '${timeColumn}=at'` : '';
  throw new HkctlError(
    'bad_input',
    `The table has a column for each sensor (${sensorColumns.slice(0, 3).join(', ')}); a file of readings has the columns sensor, at and value.`,
    {
      hint: `Import one column at a time: --sensor '${firstSensor}' --map '${firstSensor}=value'${timeMapping}, and --map 'COLUMN=-' for each other one. Or unpivot it first: in Excel with Power Query, in pandas with melt.`,
    },
  );
}
