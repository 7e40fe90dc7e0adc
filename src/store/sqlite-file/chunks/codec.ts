import { lazy } from '../../../core/memoize.ts';
import { createReadings, type SeriesReadings } from '../../../core/readings/series-readings.ts';
import { ByteReader, ByteWriter, damaged, toSigned } from './bytes.ts';

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
  #zeroCount = 0;

  /** Readings as bytes, which hold until the next call; plain ones are not compressed. */
  encode({ count, atUs, values, qualities }: SeriesReadings, { isPlain = false } = {}): Uint8Array {
    const writer = this.#writer;
    writer.begin();
    writer.reserve(maxBytes(count));
    this.#writeTimes(atUs, count);
    this.#writeValues(values, count);

    for (let runStart = 0; runStart < count; ) {
      const quality = qualities[runStart] ?? 0;
      let runEnd = runStart + 1;
      while (runEnd < count && qualities[runEnd] === quality) runEnd++;
      writer.byte(quality);
      writer.varint(runEnd - runStart);
      runStart = runEnd;
    }
    return isPlain ? writer.written() : compressBody(writer.written());
  }

  /** Numbers as bytes, in the form of the values of a chunk; they hold until the next call. */
  encodeValues(values: Float64Array): Uint8Array {
    this.#writer.begin();
    this.#writer.reserve(maxBytes(values.length));
    this.#writeValues(values, values.length);
    return this.#writer.written();
  }

  #writeTimes(atUs: Float64Array, count: number): void {
    const writer = this.#writer;
    const firstUs = atUs[0] ?? 0;
    const isLong = (atUs[count - 1] ?? 0) - firstUs > longestSpanUs;
    const timeKind = isLong ? plainTimes : unitOf(atUs, count);
    writer.byte(timeKind);
    writer.float64(firstUs);
    if (timeKind === plainTimes) {
      for (let index = 1; index < count; index++) writer.float64(atUs[index] ?? 0);
      return;
    }

    const unitUs = unitsUs[timeKind] ?? 1;
    let previousUs = firstUs;
    let previousStep = 0;
    for (let index = 1; index < count; index++) {
      const instantUs = atUs[index] ?? 0;
      const step = (instantUs - previousUs) / unitUs;
      this.#writeDifference(step - previousStep);
      previousStep = step;
      previousUs = instantUs;
    }
    this.#flushZeros();
  }

  #writeValues(values: Float64Array, count: number): void {
    const writer = this.#writer;
    const valueKind = this.#kindOfValues(values, count);
    writer.byte(valueKind);
    if (valueKind === plainFloats)
      for (let index = 0; index < count; index++) writer.float32(values[index] ?? 0);
    else if (valueKind === plainDoubles)
      for (let index = 0; index < count; index++) writer.float64(values[index] ?? 0);
    else this.#writeDecimals(values, count);
  }

  /** The number of decimals that all values but a few have, if that takes fewer bytes than plain numbers; fills `#wholes`. */
  #kindOfValues(values: Float64Array, count: number): number {
    if (this.#wholes.length < count) this.#wholes = new Float64Array(count);
    const wholes = this.#wholes;
    const maxExceptions = count * exceptionsInChunk;

    let valueKind = 0;
    let scale: number = scales[0];
    let [exceptionCount, byteCount, previousWhole] = [0, 0, 0];
    for (let index = 0; index < count && exceptionCount <= maxExceptions; index++) {
      const value = values[index] ?? 0;
      const whole = wholeOf(value, scale);
      if (whole === notWhole) {
        const neededKind = finerKind(value, valueKind);
        if (neededKind > 0) {
          // The values before it are whole numbers of these smaller parts, too: once more from the first one.
          valueKind = neededKind;
          scale = scales[neededKind] ?? 1;
          exceptionCount = byteCount = previousWhole = 0;
          index = -1;
          continue;
        }
        exceptionCount++;
        byteCount += 10;
      } else {
        const difference = Math.abs(whole - previousWhole);
        byteCount +=
          difference < 64
            ? 1
            : difference < 8192
              ? 2
              : difference < 2 ** 20
                ? 3
                : difference < 2 ** 27
                  ? 4
                  : 6;
        previousWhole = whole;
      }
      wholes[index] = whole;
    }

    const isPlain = exceptionCount > maxExceptions;
    if (!isPlain && byteCount < 4 * count) return valueKind;
    if (values.subarray(0, count).every((value) => Math.fround(value) === value))
      return plainFloats;
    return isPlain || byteCount >= 8 * count ? plainDoubles : valueKind;
  }

  #writeDecimals(values: Float64Array, count: number): void {
    const writer = this.#writer;
    const wholes = this.#wholes;
    const exceptionIndexes: number[] = [];
    let previousWhole = 0;
    for (let index = 0; index < count; index++) {
      const whole = wholes[index] ?? 0;
      if (whole === notWhole) {
        exceptionIndexes.push(index);
        this.#writeDifference(0);
        continue;
      }
      this.#writeDifference(whole - previousWhole);
      previousWhole = whole;
    }
    this.#flushZeros();

    writer.varint(exceptionIndexes.length);
    for (const exceptionIndex of exceptionIndexes) {
      writer.varint(exceptionIndex);
      writer.float64(values[exceptionIndex] ?? 0);
    }
  }

  /** Differences of 0 are often many in a row: a byte 0 and how many. */
  #writeDifference(difference: number): void {
    if (difference === 0) {
      this.#zeroCount++;
      return;
    }
    if (this.#zeroCount > 0) this.#flushZeros();
    this.#writer.signed(difference);
  }

  #flushZeros(): void {
    if (this.#zeroCount === 0) return;
    this.#writer.byte(0);
    this.#writer.varint(this.#zeroCount - 1);
    this.#zeroCount = 0;
  }
}

/** Bytes that so many readings take at most. */
function maxBytes(readingCount: number): number {
  return 32 * readingCount + 64;
}

function unitOf(atUs: Float64Array, count: number): number {
  const firstUs = atUs[0] ?? 0;
  let timeKind = 0;
  let unitUs: number = unitsUs[0];
  for (let index = 1; index < count; index++) {
    const spanUs = (atUs[index] ?? 0) - firstUs;
    // In so short a span no fraction is lost.
    for (let units = spanUs / unitUs; units !== Math.floor(units); units = spanUs / unitUs)
      unitUs = unitsUs[++timeKind] ?? 1;
  }
  return timeKind;
}

/** The first kind of smaller parts of which a value is a whole number; -1 if there is none. */
function finerKind(value: number, currentKind: number): number {
  return scales.findIndex(
    (scale, valueKind) => valueKind > currentKind && wholeOf(value, scale) !== notWhole,
  );
}

/** A value as a whole number of parts, or {@link notWhole}; so is -0, since a whole number has no such sign. */
function wholeOf(value: number, scale: number): number {
  const whole = Math.round(value * scale);
  if (whole / scale !== value || whole > largestWhole || whole < -largestWhole) return notWhole;
  return whole === 0 && 1 / value < 0 ? notWhole : whole;
}

/** The readings of a chunk with a known number of them, in the memory if that is large enough; throws if it is damaged. */
export function decodeChunk(
  body: Uint8Array,
  count: number,
  memory?: SeriesReadings,
): SeriesReadings {
  // A damaged number would take any amount of memory. Nothing takes less than 1 byte in 2^14 readings.
  if (!(count <= body.length * 2 ** 14)) throw damaged();
  const plainBody = decompressBody(body, maxBytes(count));
  const readings = memory && memory.atUs.length >= count ? memory : createReadings(count);
  readings.count = count;

  const reader = new ByteReader(plainBody);
  readTimes(reader, readings);
  readValues(reader, readings.values, count);
  readQualities(reader, readings);
  reader.requireEnd();
  return readings;
}

function readTimes(reader: ByteReader, { atUs, count }: SeriesReadings): void {
  const timeKind = reader.byte();
  let instantUs = reader.float64();
  if (count > 0) atUs[0] = instantUs;
  if (timeKind === plainTimes) {
    for (let index = 1; index < count; index++) atUs[index] = reader.float64();
    return;
  }

  const unitUs = unitsUs[timeKind] ?? 1;
  let step = 0;
  for (let index = 1; index < count; ) {
    const difference = reader.varint();
    const runLength = difference === 0 ? Math.min(reader.varint() + 1, count - index) : 1;
    step += toSigned(difference) * unitUs;
    for (const runEnd = index + runLength; index < runEnd; index++) {
      instantUs += step;
      atUs[index] = instantUs;
    }
  }
}

/** Reads a number of values, in the form of those of a chunk. */
export function readValues(reader: ByteReader, values: Float64Array, count: number): void {
  const valueKind = reader.byte();
  if (valueKind === plainFloats)
    for (let index = 0; index < count; index++) values[index] = reader.float32();
  else if (valueKind === plainDoubles)
    for (let index = 0; index < count; index++) values[index] = reader.float64();
  else {
    reader.wholes(values, count, scales[valueKind] ?? 1);
    const exceptionCount = Math.min(reader.varint(), count);
    for (let index = 0; index < exceptionCount; index++) values[reader.varint()] = reader.float64();
  }
}

function readQualities(reader: ByteReader, { qualities, count }: SeriesReadings): void {
  for (let runStart = 0; runStart < count; ) {
    if (reader.isAtEnd) throw damaged();
    const quality = reader.byte();
    const runEnd = Math.min(runStart + reader.varint(), count);
    qualities.fill(quality, runStart, runEnd);
    runStart = runEnd;
  }
}

/**
 * The first byte of a zlib stream with this window (RFC 1950). Other bodies begin with the unit of their instants, a smaller
 * number, so that this byte shows whether a body is compressed.
 */
const compressedMarker = 0x28;

const zlib = lazy(() => process.getBuiltinModule('node:zlib'));
const deflateOptions = lazy(() => ({
  // Differences repeat seldom, but some are more frequent than others (decision 9).
  strategy: zlib().constants.Z_HUFFMAN_ONLY,
  windowBits: 10,
  memLevel: 4,
  chunkSize: 2048,
}));

/** In a shorter body the table of codes takes as many bytes as they save. */
const minCompressedLength = 256;

/** Compresses the body of a chunk, if that saves a tenth of its bytes. */
function compressBody(body: Uint8Array): Uint8Array {
  if (body.length < minCompressedLength) return body;
  const compressed = zlib().deflateSync(body, deflateOptions());
  return compressed.length < 0.9 * body.length ? compressed : body;
}

/** The body as it was before {@link compressBody}. Throws the error of a damaged database, also for more than `maxLength` bytes. */
function decompressBody(body: Uint8Array, maxLength: number): Uint8Array {
  if (body[0] !== compressedMarker) return body;
  try {
    return zlib().inflateSync(body, { maxOutputLength: maxLength, chunkSize: 4096 });
  } catch {
    // Its code, its length or its checksum is wrong.
    throw damaged();
  }
}
