import type { Sensor } from '../../../core/port/readings.ts';
import { csvCell } from '../../../core/text/csv-cell.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import type { Context } from '../../context.ts';
import { terminalLine } from '../../terminal/terminal-text.ts';

interface RowWriter {
  begin(): void;
  /** What each row of a sensor begins with, as `ReadingTextRequest.lead`. */
  leadOf(sensor: Sensor): string;
  /** Writes whole rows, at least one. */
  write(rows: string): void;
  end(): void;
}

/** With `--json` the rows are those of ndjson, in one array. */
export function rowWriter(context: Context, format: 'csv' | 'ndjson'): RowWriter {
  const { stdout } = context.io;
  const write = (rows: string) => stdout.write(rows);
  const leadOf = (sensor: Sensor) => `"sensor":${toSafeJson(sensor.code)},`;
  if (context.json) {
    let first = true;
    return {
      begin: () => write('['),
      leadOf,
      write(rows) {
        write(`${first ? '' : ','}\n${rows.slice(0, -1).replaceAll('\n', ',\n')}`);
        first = false;
      },
      end: () => write(']\n'),
    };
  }
  if (format === 'ndjson') return { begin() {}, leadOf, write, end() {} };
  // On a terminal what was imported is made safe; a file or a pipe gets it as it is.
  const shown = stdout.isTTY ? terminalLine : (text: string) => text;
  return {
    begin: () => write('sensor,at,value,quality\n'),
    leadOf: (sensor) => `${csvCell(asText(shown(sensor.code)))},`,
    write,
    end() {},
  };
}

/** A code that a spreadsheet would run as a formula, with an apostrophe before it (OWASP, "CSV Injection"). */
function asText(code: string): string {
  return /^[=+\-@\t\r\n]/.test(code) ? `'${code}` : code;
}
