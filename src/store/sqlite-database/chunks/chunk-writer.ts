import { qualities } from '../../../core/port/readings.ts';
import { createColumns } from '../../../core/readings/columns.ts';
import type { Connection } from '../driver.ts';
import { usualSizes } from './chunks.ts';
import { ChunkEncoder } from './codec.ts';

/** Whether a reading, which comes from a file of unknown origin, is one that hkctl writes. */
export function isReading(atUs: unknown, value: unknown, quality: unknown): boolean {
  return (
    Number.isSafeInteger(atUs) &&
    Number.isFinite(value) &&
    Number.isInteger(quality) &&
    Number(quality) >= 0 &&
    Number(quality) <= qualities.length
  );
}

/** Writes readings that come in order of series and time into the chunks of a database that has none after them yet. */
export class ChunkWriter {
  readonly #insert;
  readonly #encoder = new ChunkEncoder();
  readonly #columns = createColumns(usualSizes.full);
  #series = 0;

  constructor(connection: Connection) {
    this.#insert = connection.prepare<[number, number, number, number, Uint8Array]>(
      'insert into chunks (series, from_us, to_us, count, body) values (?, ?, ?, ?, ?)',
    );
  }

  put(series: number, atUs: number, value: number, quality: number): void {
    const columns = this.#columns;
    if (columns.count === usualSizes.full || series !== this.#series) this.end();
    this.#series = series;
    columns.atUs[columns.count] = atUs;
    columns.values[columns.count] = value;
    columns.qualities[columns.count++] = quality;
  }

  end(): void {
    const { count, atUs } = this.#columns;
    if (count === 0) return;
    const body = this.#encoder.encode(this.#columns, 0, count);
    this.#insert.run(this.#series, atUs[0] ?? 0, atUs[count - 1] ?? 0, count, body);
    this.#columns.count = 0;
  }
}
