/**
 * Memory outside V8's heap that one use after the other takes. With new memory for every long body V8 collected all garbage ten
 * times a second at full load, for a third of the processor's time.
 */
export class Spares<T> {
  readonly #create: (size: number) => T;
  readonly #mostKept: number;
  /** By the power of two that is their size. */
  readonly #kept: T[][] = [];
  #keptSize = 0;

  /** Keeps memory of `mostKept` in all, in the unit of `create`. */
  constructor(create: (size: number) => T, mostKept: number) {
    this.#create = create;
    this.#mostKept = mostKept;
  }

  /** Memory of at least a size, with anything in it. */
  take(size: number): T {
    const power = powerOf(size);
    const spare = this.#kept[power]?.pop();
    if (spare === undefined) return this.#create(2 ** power);
    this.#keptSize -= 2 ** power;
    return spare;
  }

  /** Takes memory back that was made for a size, and that nothing refers to any more. */
  give(spare: T, size: number): void {
    const power = powerOf(size);
    if (this.#keptSize + 2 ** power > this.#mostKept) return;
    this.#keptSize += 2 ** power;
    this.#kept[power] ??= [];
    this.#kept[power].push(spare);
  }
}

function powerOf(size: number): number {
  return size <= 1 ? 0 : 32 - Math.clz32(size - 1);
}
