import { FairQueue } from '../../core/readings/fair-queue.ts';

/** Requests that wait for a later batch, round-robin by the connection that sent them. */
export class SourceQueues extends FairQueue<Work, Source> {
  has(source: Source): boolean {
    return this.sizeOf(source) > 0;
  }

  /** Takes the next request; those of a connection that has closed meanwhile are dropped. */
  override take(): Work | undefined {
    for (;;) {
      const work = super.take();
      if (!work?.source?.destroyed) return work;
      this.removeOwner(work.source);
    }
  }
}

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
