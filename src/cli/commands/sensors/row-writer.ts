import type { Reading, Sensor } from '../../../core/port/readings.ts';
import { csvCell } from '../../../core/text/csv-cell.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import type { Context } from '../../context.ts';
import { terminalLine } from '../../terminal/terminal-text.ts';

/** With `--json` the rows are those of ndjson, in one array. */
export function rowWriter(context: Context, format: 'csv' | 'ndjson'): RowWriter {
  const { stdout } = context.io;
  const objects = (sensor: Sensor, readings: readonly Reading[]) =>
    readings.map(({ atUs, value, quality }) =>
      toSafeJson({ sensor: sensor.code, at: formatInstantUs(atUs), value, ...(quality && { quality }) }),
    );
  if (context.json) {
    let first = true;
    return {
      begin: () => stdout.write('['),
      write(sensor, readings) {
        stdout.write(`${first ? '' : ','}\n${objects(sensor, readings).join(',\n')}`);
        first = false;
      },
      end: () => stdout.write(']\n'),
    };
  }
  // On a terminal what was imported is made safe; a file or a pipe gets it as it is.
  const shown = stdout.isTTY ? terminalLine : (text: string) => text;
  const write = (lines: readonly string[]) => stdout.write(`${lines.join('\n')}\n`);
  if (format === 'ndjson') {
    return { begin() {}, write: (sensor, readings) => write(objects(sensor, readings)), end() {} };
  }
  return {
    begin: () => write(['sensor,at,value,quality']),
    write(sensor, readings) {
      const code = csvCell(asText(shown(sensor.code)));
      write(readings.map(({ atUs, value, quality }) => `${code},${formatInstantUs(atUs)},${value},${quality ?? ''}`));
    },
    end() {},
  };
}

interface RowWriter {
  begin(): void;
  write(sensor: Sensor, readings: readonly Reading[]): void;
  end(): void;
}

/** A code that a spreadsheet would run as a formula, with an apostrophe before it (OWASP, "CSV Injection"). */
function asText(code: string): string {
  return /^[=+\-@\t\r\n]/.test(code) ? `'${code}` : code;
}
