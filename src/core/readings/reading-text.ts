import {
  type BucketRequest,
  qualities,
  type ReadingBucket,
  type ReadingFormat,
  type ReadingTextRequest,
} from '../port/readings.ts';
import { formatInstantUs } from '../time/instants.ts';
import type { SeriesReadings } from './series-readings.ts';

export function readingColumnsOf(buckets: BucketRequest | undefined): readonly string[] {
  return ['at', ...(buckets?.aggregates ?? ['value', 'quality'])];
}

/** The most bytes of a row: its instant, and each number with its name. */
export function longestRow(buckets: BucketRequest | undefined): number {
  return buckets === undefined ? 96 : 48 + 34 * buckets.aggregates.length;
}

/**
 * Writes the rows of a request straight into bytes (decision 34). Lines end with a line break, objects of `json` do not, and have
 * commas between them.
 */
export class RowWriter {
  /** The beginning of each row; each instant is written into it. */
  readonly #head: Uint8Array;
  readonly #instant: InstantWriter;
  /** The text after the value of a reading, by its quality. */
  readonly #readingEnds: readonly Uint8Array[];
  /** The text before each aggregate of a bucket, and the text after the last one. */
  readonly #aggregates: readonly { name: keyof ReadingBucket; label: Uint8Array }[];
  readonly #bucketEnd: Uint8Array;
  readonly #isJson: boolean;
  readonly #longestRow: number;
  readonly #isNewestFirst: boolean;
  /** The start of each row, if they are put in the opposite order. */
  readonly #rowStarts: number[] = [];
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  #count = 0;

  /** In the memory, if that is large enough for the rows. */
  constructor(
    {
      format,
      buckets,
      lead = '',
      isNewestFirst = false,
    }: Pick<ReadingTextRequest, 'format' | 'buckets' | 'lead' | 'isNewestFirst'>,
    rowCount: number,
    memory = new ArrayBuffer(0),
  ) {
    const { before, after, label, end } = shapes[format];

    const headStart = ascii.encode(before(lead));
    const headEnd = ascii.encode(buckets ? after : `${after}${label('value')}`);
    this.#head = new Uint8Array(headStart.length + instantLength + headEnd.length);
    this.#head.set(headStart);
    this.#head.set(headEnd, headStart.length + instantLength);
    this.#instant = new InstantWriter(this.#head, headStart.length);

    this.#readingEnds = [undefined, ...qualities].map((quality) =>
      ascii.encode(readingEnd(format, quality)),
    );
    this.#aggregates = (buckets?.aggregates ?? []).map((name) => ({
      name,
      label: ascii.encode(label(name)),
    }));
    this.#bucketEnd = ascii.encode(end);

    this.#isJson = format === 'json';
    this.#isNewestFirst = isNewestFirst;
    this.#longestRow = longestRow(buckets) + 3 * lead.length;

    this.#bytes = new Uint8Array(
      memory.byteLength < rowCount * this.#longestRow
        ? new ArrayBuffer(rowCount * this.#longestRow)
        : memory,
    );
  }

  get count(): number {
    return this.#count;
  }

  addReadings({ count, atUs, values, qualities }: SeriesReadings): void {
    this.#reserve(count);
    for (let readingIndex = 0; readingIndex < count; readingIndex++) {
      if (this.#isNewestFirst) this.#rowStarts.push(this.#length);
      this.#instant.write(atUs[readingIndex] ?? 0);
      this.#put(this.#head);
      this.#putNumber(values[readingIndex] ?? 0);
      this.#put(this.#readingEnds[qualities[readingIndex] ?? 0] ?? this.#bucketEnd);
    }
    this.#count += count;
  }

  addBucket(bucket: ReadingBucket): void {
    this.#reserve(1);
    if (this.#isNewestFirst) this.#rowStarts.push(this.#length);
    this.#instant.write(bucket.atUs);
    this.#put(this.#head);
    for (const { name, label } of this.#aggregates) {
      this.#put(label);
      this.#putNumber(bucket[name]);
    }
    this.#put(this.#bucketEnd);
    this.#count++;
  }

  /** The text, in a buffer that nothing else is in. */
  text(): Uint8Array<ArrayBuffer> {
    if (this.#isNewestFirst) this.#reverse();
    // No comma precedes the first object.
    return this.#bytes.subarray(this.#isJson ? Math.min(1, this.#length) : 0, this.#length);
  }

  /** Puts the rows in the opposite order. */
  #reverse(): void {
    const reversed = new Uint8Array(this.#length);
    let rowEnd = this.#length;
    let writeOffset = 0;
    for (const rowStart of this.#rowStarts.splice(0).reverse()) {
      reversed.set(this.#bytes.subarray(rowStart, rowEnd), writeOffset);
      writeOffset += rowEnd - rowStart;
      rowEnd = rowStart;
    }
    this.#bytes = reversed;
  }

  #reserve(rowCount: number): void {
    const neededLength = this.#length + rowCount * this.#longestRow;
    if (neededLength <= this.#bytes.length) return;
    const largerBytes = new Uint8Array(2 * neededLength);
    largerBytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = largerBytes;
  }

  #put(bytes: Uint8Array): void {
    const { length } = bytes;
    if (length > 16) {
      this.#bytes.set(bytes, this.#length);
    } else {
      for (let byteIndex = 0; byteIndex < length; byteIndex++) {
        this.#bytes[this.#length + byteIndex] = bytes[byteIndex] ?? 0;
      }
    }
    this.#length += length;
  }

  #putNumber(value: number): void {
    const thousandths = Math.round(value * 1000);
    // Most values have few decimals, whose digits are known without a search for the shortest text.
    if (thousandths / 1000 === value && thousandths < 2 ** 31 && thousandths > -(2 ** 31)) {
      this.#putThousandths(thousandths | 0);
      return;
    }
    const numberText = String(value);
    for (let charIndex = 0; charIndex < numberText.length; charIndex++) {
      this.#bytes[this.#length++] = numberText.charCodeAt(charIndex);
    }
  }

  #putThousandths(thousandths: number): void {
    const bytes = this.#bytes;
    let writeOffset = this.#length;
    if (thousandths < 0) bytes[writeOffset++] = minus;

    const magnitude = Math.abs(thousandths);
    const whole = (magnitude / 1000) | 0;
    const fraction = magnitude - whole * 1000;
    let digitOffset = writeOffset + 1;
    for (let powerOfTen = 10; powerOfTen <= whole; powerOfTen *= 10) {
      digitOffset++;
    }
    writeOffset = digitOffset;

    let remainingWhole = whole;
    do {
      const quotient = (remainingWhole / 10) | 0;
      bytes[--digitOffset] = zero + remainingWhole - quotient * 10;
      remainingWhole = quotient;
    } while (remainingWhole > 0);

    if (fraction > 0) {
      bytes[writeOffset++] = point;
      const [tens, ones] = [(fraction / 10) | 0, fraction % 10];
      bytes[writeOffset++] = zero + ((tens / 10) | 0);
      if (tens % 10 !== 0 || ones !== 0) {
        bytes[writeOffset++] = zero + (tens % 10);
      }
      if (ones !== 0) bytes[writeOffset++] = zero + ones;
    }
    this.#length = writeOffset;
  }
}

const [minus, point, zero] = [0x2d, 0x2e, 0x30];
const ascii = new TextEncoder();

interface Shape {
  /** Before the instant of a row whose first fields or cells are given. */
  before(lead: string): string;
  after: string;
  /** Before a number. */
  label(name: string): string;
  end: string;
}

const objectShape = (comma: string, rowEnd: string): Shape => ({
  before: (lead) => `${comma}{${lead}"at":"`,
  after: '"',
  label: (name) => `,"${name}":`,
  end: rowEnd,
});

const shapes: Record<ReadingFormat, Shape> = {
  json: objectShape(',', '}'),
  ndjson: objectShape('', '}\n'),
  csv: {
    before: (lead) => lead,
    after: '',
    label: () => ',',
    end: '\n',
  },
};

function readingEnd(format: ReadingFormat, quality: string | undefined): string {
  const { end } = shapes[format];
  if (format === 'csv') return `,${quality ?? ''}${end}`;
  return quality === undefined ? end : `,"quality":"${quality}"${end}`;
}

export const instantLength = '2026-11-20T08:15:00.123456Z'.length;

/** Writes instants into the same place of some bytes: only digits that have changed. */
export class InstantWriter {
  readonly #bytes: Uint8Array;
  readonly #offset: number;
  #dayUs = Number.NaN;
  #second = -1;
  #micros = -1;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  write(us: number): void {
    let timeOfDayUs = us - this.#dayUs;
    if (!(timeOfDayUs >= 0 && timeOfDayUs < usPerDay)) {
      timeOfDayUs = this.#begin(us);
    }

    const second = Math.floor(timeOfDayUs / 1e6);
    const micros = timeOfDayUs - second * 1e6;
    if (second !== this.#second) {
      this.#second = second;
      this.#twoDigits(11, Math.floor(second / 3600));
      this.#twoDigits(14, Math.floor(second / 60) % 60);
      this.#twoDigits(17, second % 60);
    }

    if (micros === this.#micros) return;
    this.#micros = micros;
    this.#twoDigits(20, Math.floor(micros / 10_000));
    this.#twoDigits(22, Math.floor(micros / 100) % 100);
    this.#twoDigits(24, micros % 100);
  }

  /** Writes an instant of another day; returns how much of that day has passed. */
  #begin(us: number): number {
    const remainder = us % usPerDay;
    const timeOfDayUs = remainder < 0 ? remainder + usPerDay : remainder;
    this.#dayUs = us - timeOfDayUs;
    this.#second = this.#micros = -1;
    const instantText = formatInstantUs(us);
    for (let i = 0; i < instantLength; i++) {
      this.#bytes[this.#offset + i] = instantText.charCodeAt(i);
    }
    return timeOfDayUs;
  }

  #twoDigits(digitsAt: number, number: number): void {
    const tens = (number / 10) | 0;
    this.#bytes[this.#offset + digitsAt] = 48 + tens;
    this.#bytes[this.#offset + digitsAt + 1] = 48 + number - tens * 10;
  }
}

const usPerDay = 86_400_000_000;
