import type { SensorDirectory } from '../../core/port/readings.ts';

/**
 * Finds the active sensors of an entity by the bytes of their codes and ids, without making a text of them. It learns names as
 * they come. Memory that a search reads lies close together, because most of its time are misses of the processor's cache.
 */
export class SensorNames {
  readonly #directory: SensorDirectory;
  /**
   * A hash table with open addressing, which always has free slots: the offsets of a name in `#names`, its hash, a series, and the
   * place of the name that followed last time.
   */
  readonly #slots: Int32Array;
  readonly #units = new Map<number, Buffer>();
  #names = Buffer.alloc(1024);
  #length = 1;
  #last = 0;

  constructor(directory: SensorDirectory) {
    this.#directory = directory;
    this.#slots = new Int32Array(slotSize << Math.ceil(Math.log2(directory.size * 1.25 + 2)));
  }

  /** The place of the sensor whose name ends before a quote, for {@link seriesAt} and others; -1 if there is none. */
  find(bytes: Buffer, from: number, limit: number): number {
    const slots = this.#slots;
    // Gateways send their sensors in the same order all the time.
    const next = slots[this.#last + 4] ?? 0;
    const [start, nameEnd] = [slots[next] ?? 0, slots[next + 1] ?? 0];
    const to = from + nameEnd - start;
    if (
      nameEnd > start &&
      bytes[to] === 34 &&
      isSame(bytes, from, to, this.#names, start, nameEnd)
    ) {
      this.#last = next;
      return next;
    }
    const place = this.#search(bytes, from, limit);
    if (place === -1) return -1;
    slots[this.#last + 4] = place;
    this.#last = place;
    return place;
  }

  #search(bytes: Buffer, from: number, limit: number): number {
    // FNV-1a, of which the high bits are better than the low ones.
    let hash = 0x811c9dc5 | 0;
    let to = from;
    for (let byte = bytes[to] ?? 0; byte !== 34; byte = bytes[++to] ?? 0) {
      if (byte < 32 || byte === 92 || to >= limit) return -1;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (
      let place = ((hash ^ (hash >>> 15)) * slotSize) & mask;
      ;
      place = (place + slotSize) & mask
    ) {
      const start = slots[place] ?? 0;
      if (start === 0) return this.#learn(bytes, from, to, hash, place);
      if (
        slots[place + 2] === hash &&
        isSame(bytes, from, to, this.#names, start, slots[place + 1])
      )
        return place;
    }
  }

  lengthAt(place: number): number {
    return (this.#slots[place + 1] ?? 0) - (this.#slots[place] ?? 0);
  }

  seriesAt(place: number): number {
    return this.#slots[place + 3] ?? 0;
  }

  isUnitAt(place: number, bytes: Buffer, from: number, to: number): boolean {
    const unit = this.#units.get(place);
    return unit !== undefined && isSame(bytes, from, to, unit);
  }

  #learn(bytes: Buffer, from: number, to: number, hash: number, place: number): number {
    const sensor = this.#directory.get(bytes.toString('utf8', from, to));
    if (!sensor?.isActive || sensor.series !== (sensor.series | 0)) return -1;
    const nameEnd = this.#length + to - from;
    if (nameEnd > this.#names.length) this.#names = Buffer.concat([this.#names], 2 * nameEnd);
    bytes.copy(this.#names, this.#length, from, to);
    this.#slots.set([this.#length, nameEnd, hash, sensor.series], place);
    if (sensor.unit !== null) this.#units.set(place, Buffer.from(sensor.unit));
    this.#length = nameEnd;
    return place;
  }
}

const slotSize = 8;

/** Whether a part of some bytes is the same as a part of others, or as all of them. */
export function isSame(
  bytes: Uint8Array,
  from: number,
  to: number,
  other: Uint8Array,
  start = 0,
  otherEnd = other.length,
): boolean {
  if (to - from !== otherEnd - start) return false;
  for (let at = from; at < to; at++) if (bytes[at] !== other[start + at - from]) return false;
  return true;
}
