import { FairQueue } from '../../core/readings/fair-queue.ts';

/** A piece of work that waits for the end of a request batch; an object, since a request has one anyway. */
export interface Work {
  /** Must not throw. */
  run(): void;
  /** The connection whose request it answers. */
  readonly source?: Source | undefined;
}

/** A connection from which reading can be paused. */
export interface Source {
  readonly destroyed: boolean;
}

/**
 * Requests that wait for a later batch: round-robin by client (a key or a network address), so that hundreds of connections
 * of one client do not come before the single one of another, and within a client round-robin by connection.
 */
export class SourceQueues {
  readonly #clientOf: (source: Source) => unknown;
  /** The requests of each client by connection, the next client first. */
  readonly #clients = new Map<unknown, FairQueue<Work, Source>>();
  /** The client under which a connection has requests waiting: it may present another key meanwhile. */
  readonly #clientsOfSources = new Map<Source, unknown>();
  #size = 0;

  constructor(clientOf: (source: Source) => unknown) {
    this.#clientOf = clientOf;
  }

  get size(): number {
    return this.#size;
  }

  has(source: Source): boolean {
    return this.#clientsOfSources.has(source);
  }

  add(source: Source, work: Work): void {
    const client = this.#clientsOfSources.get(source) ?? this.#clientOf(source);
    let queue = this.#clients.get(client);
    if (queue === undefined) {
      queue = new FairQueue();
      this.#clients.set(client, queue);
    }
    queue.add(source, work);
    this.#clientsOfSources.set(source, client);
    this.#size++;
  }

  /** Takes the next request; those of a connection that has closed meanwhile are dropped. */
  take(): Work | undefined {
    for (const [client, queue] of this.#clients) {
      const work = this.#takeOf(queue);
      this.#clients.delete(client);
      if (queue.size > 0) this.#clients.set(client, queue);
      if (work !== undefined) return work;
    }
    return undefined;
  }

  #takeOf(queue: FairQueue<Work, Source>): Work | undefined {
    for (let work = queue.take(); work !== undefined; work = queue.take()) {
      this.#size--;
      const { source } = work;
      if (source === undefined) return work;
      if (source.destroyed) {
        this.#size -= queue.sizeOf(source);
        queue.removeOwner(source);
      }
      if (queue.sizeOf(source) === 0) this.#clientsOfSources.delete(source);
      if (!source.destroyed) return work;
    }
    return undefined;
  }
}
