/** Writes numbers as bytes, into a buffer that is reused: the bytes of `written` hold until the next `begin`. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #position = 0;

  begin(): void {
    this.#position = 0;
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#position);
  }

  /** Makes sure that so many bytes fit. Each number needs this first: at most 8 bytes. */
  reserve(byteCount: number): void {
    if (this.#position + byteCount <= this.#bytes.length) return;
    const largerBuffer = new Uint8Array(2 * (this.#position + byteCount));
    largerBuffer.set(this.written());
    this.#bytes = largerBuffer;
    this.#view = new DataView(largerBuffer.buffer);
  }

  byte(value: number): void {
    this.#bytes[this.#position++] = value;
  }

  /** A whole number from 0 to 2^53: seven bits a byte, the lowest first. */
  varint(value: number): void {
    const bytes = this.#bytes;
    let position = this.#position;
    if (value < 128) {
      bytes[position] = value;
      this.#position = position + 1;
      return;
    }
    let remaining = value;
    // Bitwise operators take 32 bits only.
    while (remaining >= 2 ** 31) {
      bytes[position++] = (remaining & 127) | 128;
      remaining = Math.floor(remaining / 128);
    }
    while (remaining > 127) {
      bytes[position++] = (remaining & 127) | 128;
      remaining >>>= 7;
    }
    bytes[position++] = remaining;
    this.#position = position;
  }

  /** A whole number from -2^52 to 2^52, small if it is near 0. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float32(value: number): void {
    this.#view.setFloat32(this.#position, value, true);
    this.#position += 4;
  }

  float64(value: number): void {
    this.#view.setFloat64(this.#position, value, true);
    this.#position += 8;
  }
}

/** Reads the bytes of a {@link ByteWriter}. Reads past the end return nonsense, which `requireEnd` detects afterwards. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#position++] ?? 0;
  }

  varint(): number {
    const bytes = this.#bytes;
    let currentByte = bytes[this.#position++] ?? 0;
    if (currentByte < 128) return currentByte;
    let value = currentByte & 127;
    for (let scale = 128; currentByte > 127; scale *= 128) {
      currentByte = bytes[this.#position++] ?? 0;
      value += (currentByte & 127) * scale;
    }
    return value;
  }

  signed(): number {
    return toSigned(this.varint());
  }

  float32(): number {
    this.#position += 4;
    return this.#position > this.#bytes.length
      ? 0
      : this.#view.getFloat32(this.#position - 4, true);
  }

  float64(): number {
    this.#position += 8;
    return this.#position > this.#bytes.length
      ? 0
      : this.#view.getFloat64(this.#position - 8, true);
  }

  /** Reads numbers as differences, those of 0 in runs, and divides by `divisor`. */
  wholes(target: Float64Array, count: number, divisor: number): void {
    const bytes = this.#bytes;
    let position = this.#position;
    let whole = 0;
    for (let index = 0; index < count; ) {
      const firstByte = bytes[position++] ?? 0;
      if (firstByte > 0 && firstByte < 128) {
        whole += (firstByte >>> 1) ^ -(firstByte & 1);
      } else if (firstByte === 0) {
        this.#position = position;
        const runLength = this.varint();
        position = this.#position;
        const repeatedValue = whole / divisor;
        for (const runEnd = Math.min(index + runLength, count - 1); index < runEnd; )
          target[index++] = repeatedValue;
      } else {
        const secondByte = bytes[position] ?? 0;
        if (secondByte < 128) {
          whole += ((secondByte << 6) | ((firstByte & 127) >>> 1)) ^ -(firstByte & 1);
          position++;
        } else {
          this.#position = position - 1;
          whole += this.signed();
          position = this.#position;
        }
      }
      target[index++] = whole / divisor;
    }
    this.#position = position;
  }

  /** Throws the error of a damaged database unless exactly all bytes were read. */
  requireEnd(): void {
    if (this.#position !== this.#bytes.length) throw damaged();
  }
}

export function toSigned(value: number): number {
  if (value < 2 ** 31) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** The error that SQLite itself has for a damaged file. */
export function damaged(): Error {
  return Object.assign(new Error('the bytes of readings are damaged'), { code: 'SQLITE_CORRUPT' });
}
