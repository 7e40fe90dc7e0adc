import { qualities, type SensorDirectory } from '../../core/port/readings.ts';
import { commonInstantUs, measuredUs } from '../../core/readings/instants.ts';
import type { ReadingValidator } from '../../core/readings/readings.ts';
import { longestItem } from '../../core/readings/rejections.ts';
import { type ItemTaker, skipBlanks } from './items.ts';

/** An active sensor, with the bytes of the name by which it was found and of its unit. */
interface NamedSensor {
  series: number;
  name: Buffer;
  unit: Buffer | undefined;
}

/** Finds the sensors of an entity by the bytes of their codes and ids, without making a text of them. */
export class SensorNames {
  readonly #directory: SensorDirectory;
  /** A hash table with open addressing, which is never more than half full; it learns names as they come. */
  readonly #slots: (NamedSensor | undefined)[];

  constructor(directory: SensorDirectory) {
    this.#directory = directory;
    this.#slots = Array(2 << Math.ceil(Math.log2(directory.size + 1))).fill(undefined);
  }

  /** The active sensor of a name, of which `hash` is any hash. */
  find(bytes: Buffer, from: number, to: number, hash: number): NamedSensor | undefined {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot];
      if (known === undefined) return this.#learn(bytes, from, to, slot);
      if (isSame(bytes, from, to, known.name)) return known;
    }
  }

  #learn(bytes: Buffer, from: number, to: number, slot: number): NamedSensor | undefined {
    const sensor = this.#directory.get(bytes.toString('utf8', from, to));
    if (!sensor?.isActive) return undefined;
    const unit = sensor.unit === null ? undefined : Buffer.from(sensor.unit);
    const named = { series: sensor.series, name: Buffer.from(bytes.subarray(from, to)), unit };
    this.#slots[slot] = named;
    return named;
  }
}

/**
 * Reads usual readings from the bytes of a body, many times as fast as over objects: valid ones without escapes and exponents,
 * with a time in UTC or epoch milliseconds. All others are left to the validator.
 */
export class UsualReadings implements ItemTaker {
  readonly #bytes: Buffer;
  readonly #names: SensorNames;
  readonly #validator: ReadingValidator;
  /** What was read last: a number, or the hash of a text. */
  #number = 0;
  #hash = 0;

  constructor(body: Buffer, names: SensorNames, validator: ReadingValidator) {
    this.#bytes = body;
    this.#names = names;
    this.#validator = validator;
  }

  add(item: unknown, index: number): void {
    this.#validator.add(item, index);
  }

  addUsual(from: number, index: number): number {
    const bytes = this.#bytes;
    const limit = Math.min(bytes.length, from + longestItem);
    if (bytes[from] !== 123) return 0;
    let sensor: NamedSensor | undefined;
    let atUs: number | undefined;
    let value: number | undefined;
    let unitFrom = 0;
    let unitTo = 0;
    let quality = 0;
    let at = from;
    do {
      const name = skipBlanks(bytes, at + 1, limit);
      const field = fieldOf(bytes[name + 1]);
      if (field === undefined || !isSame(bytes, name, name + field.length, field)) return 0;
      const colon = skipBlanks(bytes, name + field.length, limit);
      if (bytes[colon] !== 58) return 0;
      const start = skipBlanks(bytes, colon + 1, limit);
      // Behind a text, which ends at `to`, or behind a number or word; 0 if it is neither.
      const to = bytes[start] === 34 ? this.#endOfText(start + 1, limit) : 0;
      at = to > 0 ? to + 1 : this.#readNumber(start, limit);
      if (at === 0) return 0;
      if (field === valueField) {
        if (to > 0) return 0;
        value = this.#number;
      } else if (field === atField) {
        atUs = to > 0 ? commonInstantUs(bytes, start + 1, to) : measuredUs(this.#number);
        if (atUs === undefined) return 0;
      } else if (to === 0) return 0;
      else if (field === sensorField) {
        sensor = this.#names.find(bytes, start + 1, to, this.#hash);
        if (sensor === undefined) return 0;
      } else if (field === unitField) [unitFrom, unitTo] = [start + 1, to];
      else {
        quality = qualityNames.findIndex((name) => isSame(bytes, start + 1, to, name)) + 1;
        if (quality === 0) return 0;
      }
      at = skipBlanks(bytes, at, limit);
    } while (bytes[at] === 44);
    if (at >= limit || bytes[at] !== 125) return 0;
    if (sensor === undefined || atUs === undefined || value === undefined) return 0;
    if (unitFrom > 0 && !(sensor.unit && isSame(bytes, unitFrom, unitTo, sensor.unit))) return 0;
    return this.#validator.keep(index, sensor.series, atUs, value, quality) ? at + 1 : 0;
  }

  /** The offset of the quote that ends a text, of which it makes the hash; 0 if something in the text is escaped. */
  #endOfText(from: number, limit: number): number {
    const bytes = this.#bytes;
    let hash = 0;
    for (let at = from; at < limit; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === 34) {
        this.#hash = hash ^ (hash >>> 15);
        return at;
      }
      if (byte < 32 || byte === 92) return 0;
      hash = Math.imul(hash ^ byte, 0x9e3779b1);
    }
    return 0;
  }

  /** Reads a number, or a boolean as 1 or 0, and returns the offset behind it; 0 if it is none, or has an exponent. */
  #readNumber(from: number, limit: number): number {
    const bytes = this.#bytes;
    const first = bytes[from] === 45 ? from + 1 : from;
    let at = first;
    let digits = 0;
    let byte = bytes[at] ?? 0;
    for (; byte >= 48 && byte <= 57 && at < limit; byte = bytes[++at] ?? 0) digits = digits * 10 + byte - 48;
    if (at === first) return this.#readBoolean(from);
    if (bytes[first] === 48 && at > first + 1) return 0;
    let decimals = 0;
    if (byte === 46) {
      const point = at;
      byte = bytes[++at] ?? 0;
      for (; byte >= 48 && byte <= 57 && at < limit; byte = bytes[++at] ?? 0) digits = digits * 10 + byte - 48;
      decimals = at - point - 1;
      if (decimals === 0) return 0;
    }
    // The quotient of two exact numbers is rounded once, as the decimal number would be.
    const power = powersOfTen[decimals];
    const size = digits <= Number.MAX_SAFE_INTEGER && power !== undefined ? digits / power : undefined;
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

const sensorField = Buffer.from('"sensor"');
const atField = Buffer.from('"at"');
const valueField = Buffer.from('"value"');
const unitField = Buffer.from('"unit"');
const qualityField = Buffer.from('"quality"');

/** The only field that may begin with a letter. */
function fieldOf(letter: number | undefined): Buffer | undefined {
  if (letter === 115) return sensorField;
  if (letter === 97) return atField;
  if (letter === 118) return valueField;
  if (letter === 117) return unitField;
  return letter === 113 ? qualityField : undefined;
}

const qualityNames = qualities.map((name) => Buffer.from(name));
const booleans = [Buffer.from('false'), Buffer.from('true')];
/** Every power of ten that is exactly a double. */
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

function isSame(bytes: Uint8Array, from: number, to: number, other: Uint8Array): boolean {
  if (to - from !== other.length) return false;
  for (let index = 0; index < other.length; index++) if (bytes[from + index] !== other[index]) return false;
  return true;
}
