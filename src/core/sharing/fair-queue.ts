/**
 * Items that wait for several owners, taken round-robin: one item of each owner, then the next of the first. However many
 * items one owner adds, another's item comes after at most one of each other owner.
 */
export class FairQueue<Item, Owner = string> {
  /** Owners with waiting items, the next one first; the items of each in the order in which they were added. */
  readonly #owners = new Map<Owner, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(owner: Owner): number {
    return this.#owners.get(owner)?.length ?? 0;
  }

  add(owner: Owner, item: Item): void {
    this.#itemsOf(owner).push(item);
    this.#size++;
  }

  /** Puts an item that was taken before all others of its owner, who then waits behind all other owners. */
  putBack(owner: Owner, item: Item): void {
    const items = this.#itemsOf(owner);
    items.unshift(item);
    this.#owners.delete(owner);
    this.#owners.set(owner, items);
    this.#size++;
  }

  /** Takes the next item, of the owners that `mayTake` admits; undefined if none waits. */
  take(mayTake?: (owner: Owner) => boolean): Item | undefined {
    for (const [owner, items] of this.#owners) {
      if (mayTake?.(owner) === false) continue;

      const nextItem = items.shift();
      this.#size--;

      // The only owner stays where it is.
      if (items.length > 0 && this.#owners.size === 1) {
        return nextItem;
      }
      this.#owners.delete(owner);
      if (items.length > 0) {
        this.#owners.set(owner, items);
      }
      return nextItem;
    }
    return undefined;
  }

  /** Removes an item; returns false if it does not wait. */
  remove(owner: Owner, item: Item): boolean {
    const items = this.#owners.get(owner) ?? [];
    const itemIndex = items.indexOf(item);
    if (itemIndex === -1) return false;

    items.splice(itemIndex, 1);
    if (items.length === 0) this.#owners.delete(owner);
    this.#size--;
    return true;
  }

  #itemsOf(owner: Owner): Item[] {
    const existing = this.#owners.get(owner);
    if (existing) return existing;
    const newItems: Item[] = [];
    this.#owners.set(owner, newItems);
    return newItems;
  }
}

interface WaitingTask {
  start(): void;
  reject(why: unknown): void;
}

/**
 * Runs asynchronous tasks of several owners, a limited number at once and one of each owner; all further tasks wait,
 * round-robin by owner.
 */
export class FairScheduler {
  readonly #maxRunning: number;
  readonly #waiting = new FairQueue<WaitingTask>();
  readonly #running = new Set<string>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  waitingOf(owner: string): number {
    return this.#waiting.sizeOf(owner);
  }

  /**
   * Runs a task once fewer than `maxRunning` tasks run and none of its owner; settles as the task does. Rejects with the
   * reason of the signal if that is aborted while the task waits.
   */
  async run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#mayRun(owner)) this.#running.add(owner);
    else await this.#start(owner, signal);

    try {
      return await task();
    } finally {
      this.#running.delete(owner);
      this.#waiting.take((nextOwner) => this.#mayRun(nextOwner))?.start();
    }
  }

  /** Rejects all tasks that wait. */
  rejectWaiting(reason: unknown): void {
    let waitingTask = this.#waiting.take();
    while (waitingTask) {
      waitingTask.reject(reason);
      waitingTask = this.#waiting.take();
    }
  }

  /** Resolves once the owner may run its task; from then on the owner counts as running. */
  #start(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        // A client with many tasks has one signal for all of them.
        signal?.removeEventListener('abort', abort);
        this.#running.add(owner);
        resolve();
      };

      const waitingTask = { start, reject };
      const abort = (): void => {
        if (this.#waiting.remove(owner, waitingTask)) {
          reject(signal?.reason);
        }
      };

      this.#waiting.add(owner, waitingTask);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #mayRun(owner: string): boolean {
    return this.#running.size < this.#maxRunning && !this.#running.has(owner);
  }
}
