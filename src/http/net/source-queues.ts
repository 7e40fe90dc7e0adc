/** Work that waits, a queue for each connection that it came from; the connections take turns. */
export class SourceQueues {
  readonly #queues = new Map<Source, Work[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(source: Source): boolean {
    return this.#queues.has(source);
  }

  add(source: Source, work: Work): void {
    const queue = this.#queues.get(source);
    if (queue) queue.push(work);
    else this.#queues.set(source, [work]);
    this.#size++;
  }

  /** The next work of the connection that has waited longest; nothing is done for one that has been closed meanwhile. */
  take(): Work | undefined {
    for (const [source, queue] of this.#queues) {
      this.#queues.delete(source);
      if (source.destroyed) {
        this.#size -= queue.length;
        continue;
      }
      const work = queue.shift();
      this.#size--;
      // Behind all others, for the next time.
      if (queue.length > 0) this.#queues.set(source, queue);
      return work;
    }
    return undefined;
  }
}

/** What waits for the end of a turn; an object, since a request has one anyway. */
export interface Work {
  /** Must not throw. */
  run(): void;
  /** The connection that it came from. */
  readonly source?: Source | undefined;
}

/** A connection that can be kept from bringing more. */
export interface Source {
  readonly destroyed: boolean;
}
