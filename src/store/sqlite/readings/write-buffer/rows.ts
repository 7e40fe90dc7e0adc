import { ByteReader, ByteWriter, damaged } from '../../../sqlite-file/chunks/bytes.ts';

/** The content of a row of the write buffer, by the first byte of its body. */
const rowKinds = { readings: 1, removals: 2 } as const;

/** A range of one series that was removed; `fromUs` is inclusive, `toUs` exclusive, either may be infinite. */
export interface Removal {
  series: number;
  fromUs: number;
  toUs: number;
}

/** The first byte of a reading: its quality, and how the rest of it is written. */
const readingFlags = { sameSeries: 4, plainInstant: 8, plainValue: 16 } as const;
const maxStepUs = 2 ** 50;
/** Most values are decimal numbers of few digits, which take half the bytes. */
const decimalScale = 1000;
const maxWhole = 2 ** 30;

export class BufferRow {
  readonly #writer = new ByteWriter();
  #series = 0;
  #atUs = 0;

  begin(): void {
    this.#writer.begin();
    this.#writer.reserve(1);
    this.#writer.byte(rowKinds.readings);
    this.#series = 0;
    this.#atUs = 0;
  }

  add(series: number, atUs: number, value: number, quality: number): void {
    const writer = this.#writer;
    writer.reserve(25);

    const stepUs = atUs - this.#atUs;
    const isNear = stepUs < maxStepUs && stepUs > -maxStepUs;
    const whole = Math.round(value * decimalScale);
    const isWhole =
      whole / decimalScale === value &&
      whole < maxWhole &&
      whole > -maxWhole &&
      (whole !== 0 || 1 / value > 0);
    const isSameSeries = series === this.#series;
    writer.byte(
      quality +
        (isSameSeries ? readingFlags.sameSeries : 0) +
        (isNear ? 0 : readingFlags.plainInstant) +
        (isWhole ? 0 : readingFlags.plainValue),
    );

    if (!isSameSeries) writer.signed(series - this.#series);
    if (isNear) writer.signed(stepUs);
    else writer.float64(atUs);
    if (isWhole) writer.signed(whole);
    else writer.float64(value);
    this.#series = series;
    this.#atUs = atUs;
  }

  /** The body of the row, which holds until the next `begin`. */
  body(): Uint8Array {
    return this.#writer.written();
  }
}

export function bodyOfRemovals(removals: readonly Removal[]): Uint8Array {
  const writer = new ByteWriter();
  writer.reserve(1 + 24 * removals.length);
  writer.byte(rowKinds.removals);
  for (const { series, fromUs, toUs } of removals) {
    writer.float64(series);
    writer.float64(fromUs);
    writer.float64(toUs);
  }
  return writer.written();
}

export interface BufferRowReader {
  reading(series: number, atUs: number, value: number, quality: number): void;
  removal(removal: Removal): void;
}

/** Reads the body of a row; one without bytes, whose readings are in chunks, has no parts. Throws if it is damaged. */
export function readRow(body: Uint8Array, rowReader: BufferRowReader): void {
  if (body.length === 0) return;

  const reader = new ByteReader(body);
  const rowKind = reader.byte();
  if (rowKind === rowKinds.removals) {
    while (!reader.isAtEnd) {
      rowReader.removal({
        series: reader.float64(),
        fromUs: reader.float64(),
        toUs: reader.float64(),
      });
    }
  } else if (rowKind === rowKinds.readings) {
    readReadings(reader, rowReader);
  } else throw damaged();
  reader.requireEnd();
}

function readReadings(reader: ByteReader, rowReader: BufferRowReader): void {
  let series = 0;
  let atUs = 0;
  while (!reader.isAtEnd) {
    const flagByte = reader.byte();
    if ((flagByte & readingFlags.sameSeries) === 0) series += reader.signed();
    atUs = flagByte & readingFlags.plainInstant ? reader.float64() : atUs + reader.signed();
    const value =
      flagByte & readingFlags.plainValue ? reader.float64() : reader.signed() / decimalScale;
    rowReader.reading(series, atUs, value, flagByte % 4);
  }
}
