import { sumScale } from '../../../core/readings/reads/buckets.ts';
import type { DroppedDay } from '../../../core/readings/reads/day-sums.ts';
import {
  createQuarters,
  dayUs,
  type Quarters,
  quartersOfDay,
  quarterUs,
} from '../../../core/readings/reads/quarters.ts';
import { ByteReader, ByteWriter, damaged } from './bytes.ts';
import { ChunkEncoder, readValues } from './codec.ts';

/** Sums are written without their scale, as the decimal numbers that most are, unless a double cannot hold one. */
const [plainSums, scaledSums] = [0, 1];
const bytesOfQuarter = 24;

/** Writes the sums of a day without loss: about 14 bytes a quarter. */
export class DaySumsEncoder {
  readonly #writer = new ByteWriter();
  readonly #values = new ChunkEncoder();

  encode(dayStartUs: number, { count, startUs, counts, ...columns }: Quarters): Buffer {
    const writer = this.#writer;
    writer.begin();
    writer.reserve(16 + bytesOfQuarter * count);
    writer.varint(count);
    let previousCount = 0;
    for (let place = 0; place < count; place++) {
      writer.byte(((startUs[place] ?? 0) - dayStartUs) / quarterUs);
      const readingCount = counts[place] ?? 0;
      writer.signed(readingCount - previousCount);
      previousCount = readingCount;
    }

    const sums = joined([columns.sums, columns.fallens], count);
    const unscaledSums = sums.map((sum) => sum / sumScale);
    const isPlain = unscaledSums.every(Number.isFinite);
    writer.byte(isPlain ? plainSums : scaledSums);

    const ends = joined([columns.mins, columns.maxs, columns.firsts, columns.lasts], count);
    // The encoder uses its memory again.
    const endBytes = Buffer.from(this.#values.encodeValues(ends));
    const sumBytes = this.#values.encodeValues(isPlain ? unscaledSums : sums);
    return Buffer.concat([writer.written(), endBytes, sumBytes]);
  }
}

/** Reads what a {@link DaySumsEncoder} has written; throws if it is damaged. */
export function decodeDaySums(dayStartUs: number, body: Uint8Array): Quarters {
  const reader = new ByteReader(body);
  const count = reader.varint();
  if (count < 1 || count > quartersOfDay) throw damaged();
  const quarters = createQuarters(count);
  quarters.count = count;

  let readingCount = 0;
  let previousQuarter = -1;
  for (let place = 0; place < count; place++) {
    const quarter = reader.byte();
    if (quarter <= previousQuarter || quarter >= quartersOfDay) throw damaged();
    previousQuarter = quarter;
    quarters.startUs[place] = dayStartUs + quarter * quarterUs;
    readingCount += reader.signed();
    if (!(readingCount >= 0 && Number.isSafeInteger(readingCount))) throw damaged();
    quarters.counts[place] = readingCount;
  }
  const scale = reader.byte() === plainSums ? sumScale : 1;

  const { mins, sums } = quarters;
  // In the memory of the quarters, whose columns follow each other.
  const ends = new Float64Array(mins.buffer, mins.byteOffset, 4 * count);
  readValues(reader, ends, ends.length);
  const bothSums = new Float64Array(sums.buffer, sums.byteOffset, 2 * count);
  readValues(reader, bothSums, bothSums.length);
  for (let index = 0; index < bothSums.length; index++)
    bothSums[index] = (bothSums[index] ?? 0) * scale;
  reader.requireEnd();
  if (!ends.every(Number.isFinite) || !bothSums.every(Number.isFinite)) throw damaged();
  return quarters;
}

/** The sums that retention has left of a day, from a file or a server of unknown origin; undefined if hkctl has not written them. */
export function readDroppedDay(row: {
  dayUs: unknown;
  droppedUs: unknown;
  body: unknown;
}): DroppedDay | undefined {
  const { body } = row;
  const [dayStartUs, droppedUs] = [Number(row.dayUs), Number(row.droppedUs)];
  const isDay = Number.isSafeInteger(dayStartUs) && dayStartUs % dayUs === 0;
  if (!isDay || !Number.isSafeInteger(droppedUs) || !(body instanceof Uint8Array)) return undefined;
  try {
    return { dayUs: dayStartUs, droppedUs, quarters: decodeDaySums(dayStartUs, body) };
  } catch {
    return undefined;
  }
}

/** The first values of columns, one column after the other. */
function joined(columns: readonly Float64Array[], count: number): Float64Array {
  const values = new Float64Array(columns.length * count);
  for (const [index, column] of columns.entries()) {
    values.set(column.subarray(0, count), index * count);
  }
  return values;
}
