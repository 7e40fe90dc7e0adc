import {
  createQuarters,
  type Quarters,
  quartersOfDay,
  quarterUs,
} from '../../../core/readings/reads/quarters.ts';
import { ByteReader, ByteWriter, damaged } from './bytes.ts';
import { ChunkEncoder, readValues } from './codec.ts';

/** Rounding errors mostly have few digits. */
const [halfErrors, wholeErrors] = [0, 1];
const bytesOfQuarter = 24;

/** Writes the sums of a day without loss: about 20 bytes a quarter. */
export class DaySumsEncoder {
  readonly #writer = new ByteWriter();
  readonly #values = new ChunkEncoder();

  encode(dayUs: number, { count, startUs, counts, sums, errors, ...extremes }: Quarters): Buffer {
    const writer = this.#writer;
    writer.begin();
    writer.reserve(16 + bytesOfQuarter * count);
    writer.varint(count);
    const isHalf = errors.subarray(0, count).every((error) => Math.fround(error) === error);
    writer.byte(isHalf ? halfErrors : wholeErrors);
    let before = 0;
    for (let place = 0; place < count; place++) {
      writer.byte(((startUs[place] ?? 0) - dayUs) / quarterUs);
      const readings = counts[place] ?? 0;
      writer.signed(readings - before);
      before = readings;
    }
    for (let place = 0; place < count; place++) writer.float64(sums[place] ?? 0);
    for (let place = 0; place < count; place++) {
      const error = errors[place] ?? 0;
      if (isHalf) writer.float32(error);
      else writer.float64(error);
    }

    const values = new Float64Array(4 * count);
    values.set(extremes.mins.subarray(0, count));
    values.set(extremes.maxs.subarray(0, count), count);
    values.set(extremes.firsts.subarray(0, count), 2 * count);
    values.set(extremes.lasts.subarray(0, count), 3 * count);
    const valueBytes = Buffer.from(this.#values.encodeValues(values));
    const fallenBytes = this.#values.encodeValues(extremes.fallens.subarray(0, count));
    return Buffer.concat([writer.written(), valueBytes, fallenBytes]);
  }
}

/** Reads what a {@link DaySumsEncoder} has written; throws if it is damaged. */
export function decodeDaySums(dayUs: number, body: Uint8Array): Quarters {
  const reader = new ByteReader(body);
  const quarters = createQuarters();
  const count = reader.varint();
  if (count > quartersOfDay) throw damaged();
  quarters.count = count;
  const isHalf = reader.byte() === halfErrors;
  let readings = 0;
  for (let place = 0; place < count; place++) {
    quarters.startUs[place] = dayUs + reader.byte() * quarterUs;
    readings += reader.signed();
    quarters.counts[place] = readings;
  }
  for (let place = 0; place < count; place++) quarters.sums[place] = reader.float64();
  for (let place = 0; place < count; place++)
    quarters.errors[place] = isHalf ? reader.float32() : reader.float64();

  const values = new Float64Array(4 * count);
  readValues(reader, values, values.length);
  quarters.mins.set(values.subarray(0, count));
  quarters.maxs.set(values.subarray(count, 2 * count));
  quarters.firsts.set(values.subarray(2 * count, 3 * count));
  quarters.lasts.set(values.subarray(3 * count));
  readValues(reader, quarters.fallens, count);
  reader.requireEnd();
  return quarters;
}
