/**
 * A queue of several owners, served round-robin: one item of each owner, then the next of the first. However many items one
 * owner adds, another's next item waits for at most one of each other owner.
 */
export class FairQueue<Item> {
  /** Owners with waiting items, the next one first; the items of each in order of arrival. */
  readonly #owners = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of waiting items of an owner. */
  sizeOf(owner: string): number {
    return this.#owners.get(owner)?.length ?? 0;
  }

  /** Adds an item behind all others of its owner. */
  add(owner: string, item: Item): void {
    this.#itemsOf(owner).push(item);
    this.#size++;
  }

  /** Puts a taken item back before all others of its owner, who then waits behind all other owners. */
  putBack(owner: string, item: Item): void {
    const items = this.#itemsOf(owner);
    items.unshift(item);
    this.#owners.delete(owner);
    this.#owners.set(owner, items);
    this.#size++;
  }

  /** Takes the next item; undefined if none waits. */
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

  /** Removes an item; false if it is not waiting. */
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
