import { qualities } from '../../core/port/readings.ts';
import { measuredUs, minuteLength, minuteUs, secondUs } from '../../core/readings/instants.ts';
import type { ReadingValidator } from '../../core/readings/readings.ts';
import { type Fault, longestItem, maxBatch } from '../../core/readings/rejections.ts';
import { type ItemTaker, skipBlanks } from './items.ts';
import { isSame, type SensorNames } from './sensor-names.ts';

/**
 * Reads usual readings from the bytes of a body, many times as fast as over objects: valid ones without escapes and exponents,
 * with a time in UTC or epoch milliseconds. All others are left to the validator.
 */
export class UsualReadings implements ItemTaker {
  readonly #bytes: Buffer;
  readonly #names: SensorNames;
  readonly #validator: ReadingValidator;
  added = 0;
  /** The number that was read last. */
  #number = 0;
  /** The minute of the instant that was read last: its text, eight bytes as one number each, and µs. */
  readonly #view: DataView;
  #day = 0;
  #minute = 0;
  #minuteUs = Number.NaN;

  constructor(body: Buffer, names: SensorNames, validator: ReadingValidator) {
    this.#bytes = body;
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
    this.#names = names;
    this.#validator = validator;
  }

  add(item: unknown, index: number): void {
    this.#validator.add(item, index);
  }

  refuse(index: number, fault: Fault, item?: unknown): void {
    this.#validator.refuse(index, fault, item);
  }

  takeBack(): void {
    this.#validator.takeBack();
  }

  addUsual(from: number, index: number, to: number): number {
    const bytes = this.#bytes;
    let behind = 0;
    let next = index;
    for (let at = from; at <= to && next < maxBatch; at = behind + 1) {
      const readingEnd = this.#addShortest(at, next) || this.#addOne(at, next);
      if (readingEnd === 0) break;
      behind = readingEnd;
      next++;
      if (bytes[behind] !== 44) break;
    }
    this.added = next - index;
    return behind;
  }

  /** Adds a reading of the form that nearly all have, `{"sensor":"…","at":"…Z","value":…}`, in half the time of the others. */
  #addShortest(from: number, index: number): number {
    const b = this.#bytes;
    if (
      b[from] !== 123 ||
      b[from + 1] !== 34 ||
      b[from + 2] !== 115 ||
      b[from + 3] !== 101 ||
      b[from + 4] !== 110
    )
      return 0;
    if (b[from + 5] !== 115 || b[from + 6] !== 111 || b[from + 7] !== 114 || b[from + 8] !== 34)
      return 0;
    if (b[from + 9] !== 58 || b[from + 10] !== 34) return 0;
    const limit = Math.min(b.length, from + longestItem);
    const names = this.#names;
    const sensor = names.find(b, from + 11, limit);
    if (sensor === -1) return 0;
    let at = from + 12 + names.lengthAt(sensor);
    if (
      b[at] !== 44 ||
      b[at + 1] !== 34 ||
      b[at + 2] !== 97 ||
      b[at + 3] !== 116 ||
      b[at + 4] !== 34
    )
      return 0;
    if (b[at + 5] !== 58 || b[at + 6] !== 34) return 0;
    at += 7;
    const instantEnd = at + (b[at + 24] === 34 ? 24 : b[at + 20] === 34 ? 20 : 27);
    const atUs = this.#instantUs(at, instantEnd);
    if (
      Number.isNaN(atUs) ||
      b[instantEnd] !== 34 ||
      b[instantEnd + 1] !== 44 ||
      b[instantEnd + 2] !== 34 ||
      b[instantEnd + 3] !== 118
    )
      return 0;
    if (
      b[instantEnd + 4] !== 97 ||
      b[instantEnd + 5] !== 108 ||
      b[instantEnd + 6] !== 117 ||
      b[instantEnd + 7] !== 101 ||
      b[instantEnd + 8] !== 34
    )
      return 0;
    if (b[instantEnd + 9] !== 58) return 0;
    at = this.#readNumber(instantEnd + 10, limit);
    if (at === 0 || at >= limit || b[at] !== 125) return 0;
    return this.#validator.keep(index, names.seriesAt(sensor), atUs, this.#number, 0) ? at + 1 : 0;
  }

  #addOne(from: number, index: number): number {
    const bytes = this.#bytes;
    const limit = Math.min(bytes.length, from + longestItem);
    if (bytes[from] !== 123) return 0;
    let sensor = -1;
    let atUs: number | undefined;
    let value: number | undefined;
    let unitFrom = 0;
    let unitTo = 0;
    let quality = 0;
    let at = from;
    do {
      at = afterBlanks(bytes, at + 1, limit);
      const field = fieldAt(bytes, at);
      if (field === 0) return 0;
      at = afterBlanks(bytes, at + field, limit);
      if (bytes[at] !== 58) return 0;
      at = afterBlanks(bytes, at + 1, limit);
      const start = at + 1;
      if (bytes[at] !== 34) {
        at = this.#readNumber(at, limit);
        if (at === 0) return 0;
        if (field === valueField) value = this.#number;
        else if (field === atField) atUs = measuredUs(this.#number);
        else return 0;
      } else if (field === sensorField) {
        sensor = this.#names.find(bytes, start, limit);
        if (sensor === -1) return 0;
        at = start + this.#names.lengthAt(sensor) + 1;
      } else {
        at = endOfText(bytes, field === atField ? start + shortestInstant : start, limit);
        if (at === 0) return 0;
        if (field === atField) {
          atUs = this.#instantUs(start, at);
          if (Number.isNaN(atUs)) return 0;
        } else if (field === unitField) {
          unitFrom = start;
          unitTo = at;
        } else if (field === qualityField) {
          quality = qualityOf(bytes, start, at);
          if (quality === 0) return 0;
        } else return 0;
        at++;
      }
      at = afterBlanks(bytes, at, limit);
    } while (bytes[at] === 44);
    if (at >= limit || bytes[at] !== 125) return 0;
    if (sensor === -1 || atUs === undefined || value === undefined) return 0;
    if (unitFrom > 0 && !this.#names.isUnitAt(sensor, bytes, unitFrom, unitTo)) return 0;
    return this.#validator.keep(index, this.#names.seriesAt(sensor), atUs, value, quality)
      ? at + 1
      : 0;
  }

  /** Reads an instant, NaN if it is none. Most are in the minute of the one before, which is not read again. */
  #instantUs(from: number, to: number): number {
    const bytes = this.#bytes;
    if (from + minuteLength > bytes.length) return Number.NaN;
    const day = this.#view.getFloat64(from);
    const minute = this.#view.getFloat64(from + 8);
    if (day !== this.#day || minute !== this.#minute) {
      this.#day = day;
      this.#minute = minute;
      this.#minuteUs = minuteUs(bytes, from);
    }
    return this.#minuteUs + secondUs(bytes, from + minuteLength, to);
  }

  /** Reads a number, or a boolean as 1 or 0, and returns the offset behind it; 0 if it is none, or has an exponent. */
  #readNumber(from: number, limit: number): number {
    const bytes = this.#bytes;
    const first = bytes[from] === 45 ? from + 1 : from;
    let at = first;
    let digits = 0;
    let byte = bytes[at] ?? 0;
    for (; byte >= 48 && byte <= 57 && at < limit; byte = bytes[++at] ?? 0)
      digits = digits * 10 + byte - 48;
    if (at === first) return this.#readBoolean(from);
    if (bytes[first] === 48 && at > first + 1) return 0;
    let decimals = 0;
    if (byte === 46) {
      const point = at;
      byte = bytes[++at] ?? 0;
      for (; byte >= 48 && byte <= 57 && at < limit; byte = bytes[++at] ?? 0)
        digits = digits * 10 + byte - 48;
      decimals = at - point - 1;
      if (decimals === 0) return 0;
    }
    // The quotient of two exact numbers is rounded once, as the decimal number would be.
    const power = powersOfTen[decimals];
    const size =
      digits <= Number.MAX_SAFE_INTEGER && power !== undefined ? digits / power : undefined;
    if (size === undefined) this.#number = Number(bytes.toString('latin1', from, at));
    else this.#number = first > from ? -size : size;
    return Number.isFinite(this.#number) ? at : 0;
  }

  #readBoolean(from: number): number {
    for (const [value, word] of booleans.entries()) {
      if (!isSame(this.#bytes, from, from + word.length, word)) continue;
      this.#number = value;
      return from + word.length;
    }
    return 0;
  }
}

/** The fields are named by the lengths of their names with the quotes. */
const [sensorField, atField, valueField, unitField, qualityField] = [8, 4, 7, 6, 9];
const fieldNames = ['"sensor"', '"at"', '"value"', '"unit"', '"quality"'].map((name) =>
  Buffer.from(name),
);
const shortestInstant = '2026-11-20T08:15:00'.length;

/** The field whose name begins at an offset; 0 if there is none. The names of all readings are spelled out, which takes half the time. */
function fieldAt(b: Buffer, at: number): number {
  const letter = b[at + 1];
  if (b[at] !== 34) return 0;
  if (letter === 97) return b[at + 2] === 116 && b[at + 3] === 34 ? atField : 0;
  if (letter === 118)
    return b[at + 2] === 97 &&
      b[at + 3] === 108 &&
      b[at + 4] === 117 &&
      b[at + 5] === 101 &&
      b[at + 6] === 34
      ? 7
      : 0;
  if (letter === 115)
    return b[at + 2] === 101 &&
      b[at + 3] === 110 &&
      b[at + 4] === 115 &&
      b[at + 5] === 111 &&
      b[at + 6] === 114 &&
      b[at + 7] === 34
      ? 8
      : 0;
  const name = fieldNames[letter === 117 ? 3 : 4];
  return name !== undefined && isSame(b, at, at + name.length, name) ? name.length : 0;
}

function afterBlanks(bytes: Buffer, at: number, limit: number): number {
  return (bytes[at] ?? 0) > 32 ? at : skipBlanks(bytes, at, limit);
}

/** The offset of the quote that ends a text; 0 if something in the text is escaped. */
function endOfText(bytes: Buffer, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 34) return at;
    if (byte < 32 || byte === 92) return 0;
  }
  return 0;
}

function qualityOf(bytes: Buffer, from: number, to: number): number {
  return qualityNames.findIndex((name) => isSame(bytes, from, to, name)) + 1;
}

const qualityNames = qualities.map((name) => Buffer.from(name));
const booleans = [Buffer.from('false'), Buffer.from('true')];
/** Every power of ten that is exactly a double. */
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
