import { type Columns, createColumns } from '../../../core/readings/columns.ts';
import { ByteReader, ByteWriter, damaged, toSigned } from './bytes.ts';
import { compressBody, decompressBody } from './compression.ts';

const unitsUs = [60_000_000, 1_000_000, 1000, 1] as const;
/** Instants so far apart that their differences are no exact numbers are written as they are. */
const longestSpanUs = 2 ** 50;
const plainTimes = unitsUs.length;

/** Powers of ten: a value of so many decimals is a whole number of them. */
const scales = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;
const [plainFloats, plainDoubles] = [scales.length, scales.length + 1];
const largestWhole = 2 ** 50;
const notWhole = Number.POSITIVE_INFINITY;
/** Values that are no decimal number, such as 0.1 + 0.2, cost ten bytes each: with more of them all are written as they are. */
const exceptionsInChunk = 1 / 8;

/** Writes instants as differences of differences, values as differences of decimal numbers, each 0 to 8 bytes long, without loss. */
export class ChunkEncoder {
  readonly #writer = new ByteWriter();
  #wholes = new Float64Array(1024);
  #zeros = 0;

  /** The readings from one position up to another as bytes, which hold until the next call. */
  encode(columns: Columns, from: number, to: number): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.reserve(mostBytes(to - from));
    this.#times(columns.atUs, from, to);
    this.#values(columns.values, from, to);
    for (let i = from; i < to; ) {
      const quality = columns.qualities[i] ?? 0;
      let runEnd = i + 1;
      while (runEnd < to && columns.qualities[runEnd] === quality) runEnd++;
      writer.byte(quality);
      writer.varint(runEnd - i);
      i = runEnd;
    }
    return compressBody(writer.written());
  }

  /** Numbers as bytes, in the form of the values of a chunk; they hold until the next call. */
  encodeValues(values: Float64Array): Uint8Array {
    this.#writer.begin();
    this.#writer.reserve(mostBytes(values.length));
    this.#values(values, 0, values.length);
    return this.#writer.written();
  }

  #times(atUs: Float64Array, from: number, to: number): void {
    const writer = this.#writer;
    const first = atUs[from] ?? 0;
    const kind = (atUs[to - 1] ?? 0) - first > longestSpanUs ? plainTimes : unitOf(atUs, from, to);
    writer.byte(kind);
    writer.float64(first);
    if (kind === plainTimes) {
      for (let i = from + 1; i < to; i++) writer.float64(atUs[i] ?? 0);
      return;
    }
    const unitUs = unitsUs[kind] ?? 1;
    let before = first;
    let step = 0;
    for (let i = from + 1; i < to; i++) {
      const at = atUs[i] ?? 0;
      const next = (at - before) / unitUs;
      this.#difference(next - step);
      step = next;
      before = at;
    }
    this.#endDifferences();
  }

  #values(values: Float64Array, from: number, to: number): void {
    const writer = this.#writer;
    const kind = this.#kindOfValues(values, from, to);
    writer.byte(kind);
    if (kind === plainFloats) for (let i = from; i < to; i++) writer.float32(values[i] ?? 0);
    else if (kind === plainDoubles) for (let i = from; i < to; i++) writer.float64(values[i] ?? 0);
    else this.#decimals(values, from, to);
  }

  /** The number of decimals that all values but a few have, if that takes fewer bytes than plain numbers; fills `#wholes`. */
  #kindOfValues(values: Float64Array, from: number, to: number): number {
    if (this.#wholes.length < to - from) this.#wholes = new Float64Array(to - from);
    const wholes = this.#wholes;
    const maxExceptions = (to - from) * exceptionsInChunk;
    let kind = 0;
    let scale: number = scales[0];
    let [exceptions, bytes, before] = [0, 0, 0];
    for (let i = from; i < to && exceptions <= maxExceptions; i++) {
      const value = values[i] ?? 0;
      const whole = wholeOf(value, scale);
      if (whole === notWhole) {
        const needed = finerKind(value, kind);
        if (needed > 0) {
          // The values before it are whole numbers of these smaller parts, too: once more from the first one.
          kind = needed;
          scale = scales[needed] ?? 1;
          exceptions = bytes = before = 0;
          i = from - 1;
          continue;
        }
        exceptions++;
        bytes += 10;
      } else {
        const size = Math.abs(whole - before);
        bytes += size < 64 ? 1 : size < 8192 ? 2 : size < 2 ** 20 ? 3 : size < 2 ** 27 ? 4 : 6;
        before = whole;
      }
      wholes[i - from] = whole;
    }
    const isPlain = exceptions > maxExceptions;
    if (!isPlain && bytes < 4 * (to - from)) return kind;
    if (values.subarray(from, to).every((value) => Math.fround(value) === value))
      return plainFloats;
    return isPlain || bytes >= 8 * (to - from) ? plainDoubles : kind;
  }

  #decimals(values: Float64Array, from: number, to: number): void {
    const writer = this.#writer;
    const wholes = this.#wholes;
    const exceptions: number[] = [];
    let before = 0;
    for (let i = 0; i < to - from; i++) {
      const whole = wholes[i] ?? 0;
      if (whole === notWhole) {
        exceptions.push(i);
        this.#difference(0);
        continue;
      }
      this.#difference(whole - before);
      before = whole;
    }
    this.#endDifferences();
    writer.varint(exceptions.length);
    for (const i of exceptions) {
      writer.varint(i);
      writer.float64(values[from + i] ?? 0);
    }
  }

  /** Differences of 0 are often many in a row: a byte 0 and how many. */
  #difference(value: number): void {
    if (value === 0) {
      this.#zeros++;
      return;
    }
    if (this.#zeros > 0) this.#endDifferences();
    this.#writer.signed(value);
  }

  #endDifferences(): void {
    if (this.#zeros === 0) return;
    this.#writer.byte(0);
    this.#writer.varint(this.#zeros - 1);
    this.#zeros = 0;
  }
}

/** Bytes that so many readings take at most. */
function mostBytes(readings: number): number {
  return 32 * readings + 64;
}

function unitOf(atUs: Float64Array, from: number, to: number): number {
  const first = atUs[from] ?? 0;
  let kind = 0;
  let unitUs: number = unitsUs[0];
  for (let i = from + 1; i < to; i++) {
    const span = (atUs[i] ?? 0) - first;
    // The remainder of two doubles takes ten times as long. In so short a span no fraction is lost.
    for (let units = span / unitUs; units !== Math.floor(units); units = span / unitUs)
      unitUs = unitsUs[++kind] ?? 1;
  }
  return kind;
}

/**
 * The first kind of smaller parts of which a value is a whole number; -1 if there is none. A function of its own: a closure in
 * the loop that calls it would take 48 bytes for each value.
 */
function finerKind(value: number, kind: number): number {
  return scales.findIndex((larger, at) => at > kind && wholeOf(value, larger) !== notWhole);
}

/** A value as a whole number of parts, or {@link notWhole}; so is -0, since a whole number has no such sign. */
function wholeOf(value: number, scale: number): number {
  const whole = Math.round(value * scale);
  if (whole / scale !== value || whole > largestWhole || whole < -largestWhole) return notWhole;
  return whole === 0 && 1 / value < 0 ? notWhole : whole;
}

/** The readings of a chunk with a known number of them, in columns that are large enough; throws if it is damaged. */
export function decodeChunk(body: Uint8Array, count: number, columns?: Columns): Columns {
  // A damaged number would take any amount of memory. Nothing takes less than 1 byte in 2^14 readings.
  if (!(count <= body.length * 2 ** 14)) throw damaged();
  const plain = decompressBody(body, mostBytes(count));
  const into = columns && columns.atUs.length >= count ? columns : createColumns(count);
  into.count = count;
  const reader = new ByteReader(plain);
  readTimes(reader, into);
  readValues(reader, into.values, count);
  readQualities(reader, into);
  reader.requireEnd();
  return into;
}

function readTimes(reader: ByteReader, { atUs, count }: Columns): void {
  const kind = reader.byte();
  let at = reader.float64();
  if (count > 0) atUs[0] = at;
  if (kind === plainTimes) {
    for (let i = 1; i < count; i++) atUs[i] = reader.float64();
    return;
  }
  const unitUs = unitsUs[kind] ?? 1;
  let step = 0;
  for (let i = 1; i < count; ) {
    const difference = reader.varint();
    const run = difference === 0 ? Math.min(reader.varint() + 1, count - i) : 1;
    step += toSigned(difference) * unitUs;
    for (const runEnd = i + run; i < runEnd; i++) {
      at += step;
      atUs[i] = at;
    }
  }
}

/** Reads a number of values, in the form of those of a chunk. */
export function readValues(reader: ByteReader, values: Float64Array, count: number): void {
  const kind = reader.byte();
  if (kind === plainFloats) for (let i = 0; i < count; i++) values[i] = reader.float32();
  else if (kind === plainDoubles) for (let i = 0; i < count; i++) values[i] = reader.float64();
  else {
    reader.wholes(values, count, scales[kind] ?? 1);
    const exceptions = Math.min(reader.varint(), count);
    for (let i = 0; i < exceptions; i++) values[reader.varint()] = reader.float64();
  }
}

function readQualities(reader: ByteReader, { qualities, count }: Columns): void {
  for (let i = 0; i < count; ) {
    if (reader.isAtEnd) throw damaged();
    const quality = reader.byte();
    const runEnd = Math.min(i + reader.varint(), count);
    qualities.fill(quality, i, runEnd);
    i = runEnd;
  }
}
