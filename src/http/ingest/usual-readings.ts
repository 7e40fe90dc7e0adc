import { qualities } from '../../core/port/readings.ts';
import { measuredUs } from '../../core/readings/instants.ts';
import type { ReadingValidator } from '../../core/readings/readings.ts';
import { type Fault, longestItem, maxBatch } from '../../core/readings/rejections.ts';
import { minuteLength, readMinuteMs, readSecondsUs } from '../../core/time/instants.ts';
import type { ItemTaker } from './items.ts';
import { isSame, type SensorNames } from './sensor-names.ts';

/**
 * The one fast path of ingest: reads usual readings from the bytes of JSON or line protocol. They are valid, have neither escapes
 * nor exponents, and a time in UTC or of the usual digits. All others are left to
 * the validator, with which a test compares it on every form.
 */
export class UsualReadings implements ItemTaker {
  readonly #bytes: Buffer;
  readonly #names: SensorNames;
  readonly #validator: ReadingValidator;
  added = 0;
  /** The number that was read last. */
  #number = 0;
  /** The minute of the instant that was read last: its text in two halves, the eight bytes of each as one number, and µs. */
  readonly #view: DataView;
  #firstHalf = 0;
  #secondHalf = 0;
  #minuteUs = Number.NaN;

  constructor(body: Buffer, sensorNames: SensorNames, validator: ReadingValidator) {
    this.#bytes = body;
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
    this.#names = sensorNames;
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

  addUsual(firstOffset: number, firstIndex: number, lastOffset: number): number {
    const bytes = this.#bytes;
    let readingsEnd = 0;
    let nextIndex = firstIndex;
    for (
      let readingStart = firstOffset;
      readingStart <= lastOffset && nextIndex < maxBatch;
      readingStart = readingsEnd + 1
    ) {
      const readingEnd =
        this.#addCommonForm(readingStart, nextIndex) || this.#addAnyForm(readingStart, nextIndex);
      if (readingEnd === 0) break;
      readingsEnd = readingEnd;
      nextIndex++;
      if (bytes[readingsEnd] !== 44) break;
    }
    this.added = nextIndex - firstIndex;
    return readingsEnd;
  }

  /** Takes `measurement,sensor=… value=… timestamp`, with any other tags. */
  addUsualLine(lineStart: number, index: number, precision: keyof typeof usualTimestamps): number {
    const bytes = this.#bytes;
    const sensorSlot = this.#names.find(bytes, lineStart, lineStart + longestTags);
    if (sensorSlot === -1) return 0;
    const fieldStart = lineStart + this.#names.lengthAt(sensorSlot);
    const numberStart = fieldStart + valueOfLine.length;
    if (!isSame(bytes, fieldStart, numberStart, valueOfLine)) return 0;

    const numberEnd = this.#readNumber(numberStart, lineStart + longestItem);
    if (numberEnd === 0 || bytes[numberEnd] !== 32) return 0;
    const { digits, moreDigits, us } = usualTimestamps[precision];
    const moreStart = numberEnd + 1 + digits;
    const lineEnd = moreStart + moreDigits;
    const breakByte = bytes[lineEnd] ?? 10;
    const atUs = wholeAt(bytes, numberEnd + 1, digits) * us;
    if (Number.isNaN(wholeAt(bytes, moreStart, moreDigits))) return 0;
    if (lineEnd > bytes.length || (breakByte !== 10 && breakByte !== 13)) return 0;
    return this.#validator.keep(index, this.#names.seriesAt(sensorSlot), atUs, this.#number, 0)
      ? lineEnd
      : 0;
  }

  /** Adds a reading of the most common form, `{"sensor":"…","at":"…Z","value":…}` or with `at` in epoch milliseconds. */
  #addCommonForm(readingStart: number, index: number): number {
    const bytes = this.#bytes;
    // {"sensor":"
    if (
      bytes[readingStart] !== 123 ||
      bytes[readingStart + 1] !== 34 ||
      bytes[readingStart + 2] !== 115 ||
      bytes[readingStart + 3] !== 101 ||
      bytes[readingStart + 4] !== 110
    )
      return 0;
    if (
      bytes[readingStart + 5] !== 115 ||
      bytes[readingStart + 6] !== 111 ||
      bytes[readingStart + 7] !== 114 ||
      bytes[readingStart + 8] !== 34
    )
      return 0;
    if (bytes[readingStart + 9] !== 58 || bytes[readingStart + 10] !== 34) return 0;

    const scanLimit = Math.min(bytes.length, readingStart + longestItem);
    const sensorNames = this.#names;
    const sensorSlot = sensorNames.find(bytes, readingStart + 11, scanLimit);
    if (sensorSlot === -1) return 0;
    let offset = readingStart + 12 + sensorNames.lengthAt(sensorSlot);

    // ,"at":
    if (
      bytes[offset] !== 44 ||
      bytes[offset + 1] !== 34 ||
      bytes[offset + 2] !== 97 ||
      bytes[offset + 3] !== 116 ||
      bytes[offset + 4] !== 34
    )
      return 0;
    if (bytes[offset + 5] !== 58) return 0;
    offset += 6;

    let instantEnd = offset + epochMsLength;
    let atUs: number;
    if (bytes[offset] === 34) {
      const textStart = offset + 1;
      const textEnd =
        textStart + (bytes[textStart + 24] === 34 ? 24 : bytes[textStart + 20] === 34 ? 20 : 27);
      if (bytes[textEnd] !== 34) return 0;
      atUs = this.#instantUs(textStart, textEnd);
      instantEnd = textEnd + 1;
    } else atUs = bytes[offset] === 48 ? Number.NaN : wholeAt(bytes, offset, epochMsLength) * 1000;
    // ,"value":
    if (
      Number.isNaN(atUs) ||
      bytes[instantEnd] !== 44 ||
      bytes[instantEnd + 1] !== 34 ||
      bytes[instantEnd + 2] !== 118
    )
      return 0;
    if (
      bytes[instantEnd + 3] !== 97 ||
      bytes[instantEnd + 4] !== 108 ||
      bytes[instantEnd + 5] !== 117 ||
      bytes[instantEnd + 6] !== 101 ||
      bytes[instantEnd + 7] !== 34
    )
      return 0;
    if (bytes[instantEnd + 8] !== 58) return 0;

    offset = this.#readNumber(instantEnd + 9, scanLimit);
    if (offset === 0 || offset >= scanLimit || bytes[offset] !== 125) return 0;
    return this.#validator.keep(index, sensorNames.seriesAt(sensorSlot), atUs, this.#number, 0)
      ? offset + 1
      : 0;
  }

  #addAnyForm(readingStart: number, index: number): number {
    const bytes = this.#bytes;
    const scanLimit = Math.min(bytes.length, readingStart + longestItem);
    if (bytes[readingStart] !== 123) return 0;

    let sensorSlot = -1;
    let atUs: number | undefined;
    let value: number | undefined;
    let unitStart = 0;
    let unitEnd = 0;
    let quality = 0;
    let fieldsSoFar = 0;
    let offset = readingStart;
    do {
      offset = afterBlanks(bytes, offset + 1, scanLimit);
      const field = fieldAt(bytes, offset);
      // A member that stands twice is left to the validator, too.
      if (field === 0 || (fieldsSoFar & (1 << field)) !== 0) return 0;
      fieldsSoFar |= 1 << field;
      offset = afterBlanks(bytes, offset + field, scanLimit);
      if (bytes[offset] !== 58) return 0;
      offset = afterBlanks(bytes, offset + 1, scanLimit);
      const valueStart = offset + 1;
      if (bytes[offset] !== 34) {
        offset = this.#readNumber(offset, scanLimit);
        if (offset === 0) return 0;
        if (field === valueField) value = this.#number;
        else if (field === atField) atUs = measuredUs(this.#number);
        else return 0;
      } else if (field === sensorField) {
        sensorSlot = this.#names.find(bytes, valueStart, scanLimit);
        if (sensorSlot === -1) return 0;
        offset = valueStart + this.#names.lengthAt(sensorSlot) + 1;
      } else {
        offset = endOfText(
          bytes,
          field === atField ? valueStart + shortestInstant : valueStart,
          scanLimit,
        );
        if (offset === 0) return 0;
        if (field === atField) {
          atUs = this.#instantUs(valueStart, offset);
          if (Number.isNaN(atUs)) return 0;
        } else if (field === unitField) {
          unitStart = valueStart;
          unitEnd = offset;
        } else if (field === qualityField) {
          quality = qualityOf(bytes, valueStart, offset);
          if (quality === 0) return 0;
        } else return 0;
        offset++;
      }

      offset = afterBlanks(bytes, offset, scanLimit);
    } while (bytes[offset] === 44);

    if (offset >= scanLimit || bytes[offset] !== 125) return 0;
    if (sensorSlot === -1 || atUs === undefined || value === undefined) return 0;
    if (unitStart > 0 && !this.#names.isUnitAt(sensorSlot, bytes, unitStart, unitEnd)) return 0;
    return this.#validator.keep(index, this.#names.seriesAt(sensorSlot), atUs, value, quality)
      ? offset + 1
      : 0;
  }

  /** Reads an instant; NaN if it is invalid. Most have the same minute as the instant before, which is not read again. */
  #instantUs(instantStart: number, instantEnd: number): number {
    const bytes = this.#bytes;
    if (instantStart + minuteLength > bytes.length) return Number.NaN;
    const firstHalf = this.#view.getFloat64(instantStart);
    const secondHalf = this.#view.getFloat64(instantStart + 8);
    if (firstHalf !== this.#firstHalf || secondHalf !== this.#secondHalf) {
      this.#firstHalf = firstHalf;
      this.#secondHalf = secondHalf;
      this.#minuteUs = readMinuteMs(bytes, instantStart) * 1000;
    }
    return this.#minuteUs + readSecondsUs(bytes, instantStart + minuteLength, instantEnd);
  }

  /** Reads a number, or a boolean as 1 or 0, and returns the offset behind it; 0 if it is none, or has an exponent. */
  #readNumber(numberStart: number, scanLimit: number): number {
    const bytes = this.#bytes;
    const digitsStart = bytes[numberStart] === 45 ? numberStart + 1 : numberStart;
    let offset = digitsStart;
    let unscaled = 0;
    let byte = bytes[offset] ?? 0;
    for (; byte >= 48 && byte <= 57 && offset < scanLimit; byte = bytes[++offset] ?? 0)
      unscaled = unscaled * 10 + byte - 48;
    if (offset === digitsStart) return this.#readBoolean(numberStart);
    if (bytes[digitsStart] === 48 && offset > digitsStart + 1) return 0;

    let decimals = 0;
    if (byte === 46) {
      const pointOffset = offset;
      byte = bytes[++offset] ?? 0;
      for (; byte >= 48 && byte <= 57 && offset < scanLimit; byte = bytes[++offset] ?? 0)
        unscaled = unscaled * 10 + byte - 48;
      decimals = offset - pointOffset - 1;
      if (decimals === 0) return 0;
    }

    // The quotient of two exact numbers is rounded once, as the decimal number would be.
    const power = powersOfTen[decimals];
    const magnitude =
      unscaled <= Number.MAX_SAFE_INTEGER && power !== undefined ? unscaled / power : undefined;
    if (magnitude === undefined)
      this.#number = Number(bytes.toString('latin1', numberStart, offset));
    else this.#number = digitsStart > numberStart ? -magnitude : magnitude;
    return Number.isFinite(this.#number) ? offset : 0;
  }

  #readBoolean(wordStart: number): number {
    for (const [value, word] of booleans.entries()) {
      if (!isSame(this.#bytes, wordStart, wordStart + word.length, word)) continue;
      this.#number = value;
      return wordStart + word.length;
    }
    return 0;
  }
}

/** The fields are named by the lengths of their names with the quotes. */
const [sensorField, atField, valueField, unitField, qualityField] = [8, 4, 7, 6, 9];
const fieldNames = ['"sensor"', '"at"', '"value"', '"unit"', '"quality"'].map((name) =>
  Buffer.from(name),
);
/** Measurement and tags of a line that are longer are not learned. */
const longestTags = 256;
const epochMsLength = '1795162500123'.length;
const shortestInstant = '2026-11-20T08:15:00'.length;

/** The usual timestamps of lines: digits, more digits that count less than a microsecond, and microseconds in the unit. */
const usualTimestamps = {
  ns: { digits: 16, moreDigits: 3, us: 1 },
  us: { digits: 16, moreDigits: 0, us: 1 },
  ms: { digits: 13, moreDigits: 0, us: 1e3 },
  s: { digits: 10, moreDigits: 0, us: 1e6 },
} as const;

/** The number that some digits at an offset are; NaN if there are others. Milliseconds of 13 are those from 2001 to 2286. */
function wholeAt(bytes: Buffer, digitsStart: number, count: number): number {
  let whole = 0;
  for (let offset = digitsStart; offset < digitsStart + count; offset++) {
    const digit = (bytes[offset] ?? 0) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    whole = whole * 10 + digit;
  }
  return whole;
}

/** The field whose name begins at an offset; 0 if there is none. */
function fieldAt(bytes: Buffer, nameStart: number): number {
  const firstLetter = bytes[nameStart + 1];
  if (bytes[nameStart] !== 34) return 0;
  if (firstLetter === 97)
    return bytes[nameStart + 2] === 116 && bytes[nameStart + 3] === 34 ? atField : 0;
  if (firstLetter === 118)
    return bytes[nameStart + 2] === 97 &&
      bytes[nameStart + 3] === 108 &&
      bytes[nameStart + 4] === 117 &&
      bytes[nameStart + 5] === 101 &&
      bytes[nameStart + 6] === 34
      ? 7
      : 0;
  if (firstLetter === 115)
    return bytes[nameStart + 2] === 101 &&
      bytes[nameStart + 3] === 110 &&
      bytes[nameStart + 4] === 115 &&
      bytes[nameStart + 5] === 111 &&
      bytes[nameStart + 6] === 114 &&
      bytes[nameStart + 7] === 34
      ? 8
      : 0;
  const fieldName = fieldNames[firstLetter === 117 ? 3 : 4];
  return fieldName !== undefined &&
    isSame(bytes, nameStart, nameStart + fieldName.length, fieldName)
    ? fieldName.length
    : 0;
}

function afterBlanks(bytes: Buffer, offset: number, scanLimit: number): number {
  let at = offset;
  while (at < scanLimit && isBlank(bytes[at] ?? 0)) at++;
  return at;
}

function isBlank(byte: number): boolean {
  return byte <= 32 && (byte === 32 || byte === 10 || byte === 13 || byte === 9);
}

/** The offset of the quote that ends a text; 0 if something in the text is escaped. */
function endOfText(bytes: Buffer, textStart: number, scanLimit: number): number {
  for (let offset = textStart; offset < scanLimit; offset++) {
    const byte = bytes[offset] ?? 0;
    if (byte === 34) return offset;
    if (byte < 32 || byte === 92) return 0;
  }
  return 0;
}

function qualityOf(bytes: Buffer, textStart: number, textEnd: number): number {
  return qualityNames.findIndex((name) => isSame(bytes, textStart, textEnd, name)) + 1;
}

const qualityNames = qualities.map((name) => Buffer.from(name));
const valueOfLine = Buffer.from(' value=');
const booleans = [Buffer.from('false'), Buffer.from('true')];
/** Every power of ten that is exactly a double. */
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
