/** Memory that one use after the other takes, so that long bodies need no new one. */
export class Spares<Memory> {
  readonly #create: (size: number) => Memory;
  readonly #maxSpareSize: number;
  /** By the power of two that is their size. */
  readonly #sparesByPower: Memory[][] = [];
  #spareSize = 0;

  /** Keeps memory of `maxSpareSize` in all, in the unit of `create`. */
  constructor(create: (size: number) => Memory, maxSpareSize: number) {
    this.#create = create;
    this.#maxSpareSize = maxSpareSize;
  }

  /** Memory of at least a size, with anything in it. */
  take(size: number): Memory {
    const power = powerOf(size);
    const spare = this.#sparesByPower[power]?.pop();
    if (spare === undefined) return this.#create(2 ** power);

    this.#spareSize -= 2 ** power;
    return spare;
  }

  /** Takes memory back that was made for a size, and that nothing refers to any more. */
  give(spare: Memory, size: number): void {
    const power = powerOf(size);
    if (this.#spareSize + 2 ** power > this.#maxSpareSize) return;

    this.#spareSize += 2 ** power;
    this.#sparesByPower[power] ??= [];
    this.#sparesByPower[power].push(spare);
  }
}

function powerOf(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1);
}
