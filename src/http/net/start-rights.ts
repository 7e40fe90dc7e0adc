import type { RequestListener } from 'node:http';

/** What a daemon may do at its start only: read a key and open a port that its store's account could not. */
export interface StartRights {
  /** Runs something synchronous with the rights of the person who started the daemon. */
  withOwn<T>(work: () => T): T;
  /** Does the same for something asynchronous, and gives those rights up for good. */
  withOwnForTheLastTime<T>(work: () => Promise<T>): Promise<T>;
}

/** For a daemon whose rights stay as they are. */
export const sameRights: StartRights = { withOwn: (work) => work(), withOwnForTheLastTime: (work) => work() };

/** Keeps requests that come while a port is being opened until `pass` is called: no store is touched with root's rights. */
export function holdRequests(listener: RequestListener): { listener: RequestListener; pass(): void } {
  let held: (() => void)[] | undefined = [];
  return {
    listener(req, res) {
      if (held === undefined) listener(req, res);
      else held.push(() => listener(req, res));
    },
    pass() {
      const waiting = held ?? [];
      held = undefined;
      for (const answer of waiting) answer();
    },
  };
}
