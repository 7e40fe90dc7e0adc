/**
 * What several owners wait for, taken round-robin: one item of each owner, then the next of the first. However much one
 * owner brings, another's item comes after at most one of each other owner.
 */
export class FairQueue<Item> {
  /** Owners with something waiting, the next one first; the items of each in the order in which they came. */
  readonly #owners = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** How many items of an owner wait. */
  sizeOf(owner: string): number {
    return this.#owners.get(owner)?.length ?? 0;
  }

  /** Puts an item behind all others of its owner. */
  add(owner: string, item: Item): void {
    this.#itemsOf(owner).push(item);
    this.#size++;
  }

  /** Puts an item that was taken before all others of its owner, who then waits behind all other owners. */
  putBack(owner: string, item: Item): void {
    const items = this.#itemsOf(owner);
    items.unshift(item);
    this.#owners.delete(owner);
    this.#owners.set(owner, items);
    this.#size++;
  }

  /** Takes the next item; undefined where none waits. */
  take(): Item | undefined {
    for (const [owner, items] of this.#owners) {
      const item = items.shift();
      this.#owners.delete(owner);
      if (items.length > 0) this.#owners.set(owner, items);
      this.#size--;
      return item;
    }
    return undefined;
  }

  /** Takes an item out; false where it does not wait. */
  remove(owner: string, item: Item): boolean {
    const items = this.#owners.get(owner) ?? [];
    const index = items.indexOf(item);
    if (index === -1) return false;
    items.splice(index, 1);
    if (items.length === 0) this.#owners.delete(owner);
    this.#size--;
    return true;
  }

  #itemsOf(owner: string): Item[] {
    const known = this.#owners.get(owner);
    if (known) return known;
    const items: Item[] = [];
    this.#owners.set(owner, items);
    return items;
  }
}
