import { type Columns, placeOf } from '../../../core/readings/columns.ts';

/** How many chunks are kept decoded, one of each series: 20 MB. */
const mostKept = 1024;

/** A decoded chunk, and up to where there is no other one of its series. */
interface Decoded {
  /** Inclusive. */
  fromUs: number;
  /** Exclusive. */
  untilUs: number;
  columns: Columns;
}

/** The chunks that were needed last, one of each series: late readings of a series mostly follow each other. */
export class DecodedChunks {
  readonly #kept = new Map<number, Decoded>();

  clear(): void {
    this.#kept.clear();
  }

  delete(series: number): void {
    this.#kept.delete(series);
  }

  /** The value of a reading, undefined if there is none; `read` gives the chunk in which it is or would be. */
  valueAt(series: number, atUs: number, read: () => Decoded): number | undefined {
    let decoded = this.#kept.get(series);
    if (!decoded || atUs < decoded.fromUs || atUs >= decoded.untilUs) {
      decoded = read();
      this.#kept.delete(series);
      this.#kept.set(series, decoded);
      if (this.#kept.size > mostKept) {
        const [oldest] = this.#kept.keys();
        if (oldest !== undefined) this.#kept.delete(oldest);
      }
    }
    const { columns } = decoded;
    const place = placeOf(columns, atUs);
    return place < columns.count && columns.atUs[place] === atUs ? columns.values[place] : undefined;
  }
}
