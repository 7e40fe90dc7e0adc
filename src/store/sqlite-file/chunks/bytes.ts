/** Writes numbers as bytes, into a buffer that is reused: what `written` returns holds until the next `begin`. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  begin(): void {
    this.#at = 0;
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  /** Makes sure that so many bytes fit. Each number needs this first: at most 8 bytes. */
  reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#at + bytes));
    larger.set(this.written());
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  /** A whole number from 0 to 2^53: seven bits a byte, the lowest first. */
  varint(value: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    if (value < 128) {
      bytes[at] = value;
      this.#at = at + 1;
      return;
    }
    let remaining = value;
    // Bitwise operators take 32 bits only.
    while (remaining >= 2 ** 31) {
      bytes[at++] = (remaining & 127) | 128;
      remaining = Math.floor(remaining / 128);
    }
    while (remaining > 127) {
      bytes[at++] = (remaining & 127) | 128;
      remaining >>>= 7;
    }
    bytes[at++] = remaining;
    this.#at = at;
  }

  /** A whole number from -2^52 to 2^52, small if it is near 0. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float32(value: number): void {
    this.#view.setFloat32(this.#at, value, true);
    this.#at += 4;
  }

  float64(value: number): void {
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }
}

/** Reads what a {@link ByteWriter} has written. What is read past the end is nonsense: `requireEnd` finds that afterwards. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  varint(): number {
    const bytes = this.#bytes;
    let next = bytes[this.#at++] ?? 0;
    if (next < 128) return next;
    let value = next & 127;
    for (let scale = 128; next > 127; scale *= 128) {
      next = bytes[this.#at++] ?? 0;
      value += (next & 127) * scale;
    }
    return value;
  }

  signed(): number {
    return toSigned(this.varint());
  }

  float32(): number {
    this.#at += 4;
    return this.#at > this.#bytes.length ? 0 : this.#view.getFloat32(this.#at - 4, true);
  }

  float64(): number {
    this.#at += 8;
    return this.#at > this.#bytes.length ? 0 : this.#view.getFloat64(this.#at - 8, true);
  }

  /** Reads numbers as differences, those of 0 in runs, and divides by `divisor`; short ones, which are most, without a call. */
  wholes(into: Float64Array, count: number, divisor: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    let whole = 0;
    for (let i = 0; i < count; ) {
      const first = bytes[at++] ?? 0;
      if (first > 0 && first < 128) {
        whole += (first >>> 1) ^ -(first & 1);
      } else if (first === 0) {
        this.#at = at;
        const run = this.varint();
        at = this.#at;
        const same = whole / divisor;
        for (const runEnd = Math.min(i + run, count - 1); i < runEnd; ) into[i++] = same;
      } else {
        const second = bytes[at] ?? 0;
        if (second < 128) {
          whole += ((second << 6) | ((first & 127) >>> 1)) ^ -(first & 1);
          at++;
        } else {
          this.#at = at - 1;
          whole += this.signed();
          at = this.#at;
        }
      }
      into[i++] = whole / divisor;
    }
    this.#at = at;
  }

  /** Throws the error of a damaged database unless exactly all bytes were read. */
  requireEnd(): void {
    if (this.#at !== this.#bytes.length) throw damaged();
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
