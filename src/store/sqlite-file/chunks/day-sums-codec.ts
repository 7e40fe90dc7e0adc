import { sumScale } from '../../../core/readings/reads/buckets.ts';
import {
  createQuarters,
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

  encode(dayUs: number, { count, startUs, counts, ...columns }: Quarters): Buffer {
    const writer = this.#writer;
    writer.begin();
    writer.reserve(16 + bytesOfQuarter * count);
    writer.varint(count);
    let previousCount = 0;
    for (let place = 0; place < count; place++) {
      writer.byte(((startUs[place] ?? 0) - dayUs) / quarterUs);
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
export function decodeDaySums(dayUs: number, body: Uint8Array): Quarters {
  const reader = new ByteReader(body);
  const quarters = createQuarters();
  const count = reader.varint();
  if (count > quartersOfDay) throw damaged();
  quarters.count = count;

  let readingCount = 0;
  for (let place = 0; place < count; place++) {
    quarters.startUs[place] = dayUs + reader.byte() * quarterUs;
    readingCount += reader.signed();
    quarters.counts[place] = readingCount;
  }
  const scale = reader.byte() === plainSums ? sumScale : 1;

  const ends = new Float64Array(4 * count);
  readValues(reader, ends, ends.length);
  const { mins, maxs, firsts, lasts } = quarters;
  for (const [index, column] of [mins, maxs, firsts, lasts].entries()) {
    column.set(ends.subarray(index * count, (index + 1) * count));
  }

  const sums = new Float64Array(2 * count);
  readValues(reader, sums, sums.length);
  for (let place = 0; place < count; place++) {
    quarters.sums[place] = (sums[place] ?? 0) * scale;
    quarters.fallens[place] = (sums[count + place] ?? 0) * scale;
  }
  reader.requireEnd();
  return quarters;
}

/** The first values of columns, one column after the other. */
function joined(columns: readonly Float64Array[], count: number): Float64Array {
  const values = new Float64Array(columns.length * count);
  for (const [index, column] of columns.entries()) {
    values.set(column.subarray(0, count), index * count);
  }
  return values;
}
