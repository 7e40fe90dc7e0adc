import type { Sensor, SensorDirectory } from '../../core/port/readings.ts';

/**
 * Finds the active sensors of an entity by the bytes that name them in a body, without making a string of them. The table
 * learns names as they come, and begins anew once it has as many as it holds.
 */
export class SensorNames {
  readonly #most: number;
  readonly #endByte: number;
  readonly #sensorOf: (name: string) => Sensor | undefined;
  /**
   * A hash table with open addressing, which always has free slots. A slot holds the offsets of a name in `#names`, its hash, a
   * series, and the slot of the name that followed last time.
   */
  readonly #slots: Int32Array;
  readonly #units = new Map<number, Buffer>();
  #names = Buffer.alloc(1024);
  #namesLength = 1;
  #count = 0;
  #lastSlot = 0;

  /** Holds at most a number of names, each of which ends before a byte. */
  constructor(most: number, endByte: number, sensorOf: (name: string) => Sensor | undefined) {
    this.#most = most;
    this.#endByte = endByte;
    this.#sensorOf = sensorOf;
    this.#slots = new Int32Array(slotSize << Math.ceil(Math.log2(most * 1.25 + 2)));
  }

  /** The slot of the sensor whose name begins at an offset, for {@link seriesAt} and others; -1 if there is none. */
  find(bytes: Buffer, nameStart: number, scanLimit: number): number {
    const slots = this.#slots;
    // Gateways send their sensors in the same order all the time.
    const nextSlot = slots[this.#lastSlot + 4] ?? 0;
    const [knownStart, knownEnd] = [slots[nextSlot] ?? 0, slots[nextSlot + 1] ?? 0];
    const nameEnd = nameStart + knownEnd - knownStart;
    if (
      knownEnd > knownStart &&
      bytes[nameEnd] === this.#endByte &&
      isSame(bytes, nameStart, nameEnd, this.#names, knownStart, knownEnd)
    ) {
      this.#lastSlot = nextSlot;
      return nextSlot;
    }

    const slot = this.#search(bytes, nameStart, scanLimit);
    if (slot === -1) return -1;
    slots[this.#lastSlot + 4] = slot;
    this.#lastSlot = slot;
    return slot;
  }

  #search(bytes: Buffer, nameStart: number, scanLimit: number): number {
    // FNV-1a, whose high bits are better distributed than its low ones.
    let hash = 0x811c9dc5 | 0;
    let nameEnd = nameStart;
    const endByte = this.#endByte;
    for (let byte = bytes[nameEnd] ?? 0; byte !== endByte; byte = bytes[++nameEnd] ?? 0) {
      if (byte < 32 || byte === 92 || nameEnd >= scanLimit) return -1;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }

    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = ((hash ^ (hash >>> 15)) * slotSize) & mask; ; slot = (slot + slotSize) & mask) {
      const knownStart = slots[slot] ?? 0;
      if (knownStart === 0) return this.#learn(bytes, nameStart, nameEnd, hash, slot);
      if (
        slots[slot + 2] === hash &&
        isSame(bytes, nameStart, nameEnd, this.#names, knownStart, slots[slot + 1])
      )
        return slot;
    }
  }

  lengthAt(slot: number): number {
    return (this.#slots[slot + 1] ?? 0) - (this.#slots[slot] ?? 0);
  }

  seriesAt(slot: number): number {
    return this.#slots[slot + 3] ?? 0;
  }

  isUnitAt(slot: number, bytes: Buffer, unitStart: number, unitEnd: number): boolean {
    const unit = this.#units.get(slot);
    return unit !== undefined && isSame(bytes, unitStart, unitEnd, unit);
  }

  #learn(bytes: Buffer, nameStart: number, nameEnd: number, hash: number, slot: number): number {
    const sensor = this.#sensorOf(bytes.toString('utf8', nameStart, nameEnd));
    if (!sensor?.isActive || sensor.series !== (sensor.series | 0)) return -1;
    if (this.#count++ === this.#most) this.#forget();
    const storedEnd = this.#namesLength + nameEnd - nameStart;
    if (storedEnd > this.#names.length) this.#names = Buffer.concat([this.#names], 2 * storedEnd);
    bytes.copy(this.#names, this.#namesLength, nameStart, nameEnd);
    this.#slots.set([this.#namesLength, storedEnd, hash, sensor.series], slot);
    if (sensor.unit !== null) this.#units.set(slot, Buffer.from(sensor.unit));
    this.#namesLength = storedEnd;
    return slot;
  }

  #forget(): void {
    this.#slots.fill(0);
    this.#units.clear();
    this.#namesLength = 1;
    this.#count = 1;
    this.#lastSlot = 0;
  }
}

const slotSize = 8;

/** The sensors of an entity by their codes and ids, as a text of JSON. */
export function namesInJson(sensors: SensorDirectory): SensorNames {
  return new SensorNames(sensors.size, 34, (name) => sensors.get(name));
}

/** Whether a part of some bytes is the same as a part of others, or as all of them. */
export function isSame(
  bytes: Uint8Array,
  partStart: number,
  partEnd: number,
  otherBytes: Uint8Array,
  otherStart = 0,
  otherEnd = otherBytes.length,
): boolean {
  if (partEnd - partStart !== otherEnd - otherStart) return false;
  for (let offset = partStart; offset < partEnd; offset++)
    if (bytes[offset] !== otherBytes[otherStart + offset - partStart]) return false;
  return true;
}
