import type { RequestListener } from 'node:http';

/** The rights of a daemon at its start only: to read a key and open a port that the store's account could not. */
export interface StartRights {
  /** Runs synchronous work with the rights of the person who started the daemon. */
  withOwn<T>(work: () => T): T;
  /** Runs asynchronous work with them, and then gives them up for good. */
  withOwnForTheLastTime<T>(work: () => Promise<T>): Promise<T>;
}

/** The rights of a daemon that do not change. */
export const sameRights: StartRights = { withOwn: (work) => work(), withOwnForTheLastTime: (work) => work() };

/** Holds requests that arrive while the port is being opened until `pass` is called: root must not touch the store. */
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
