/** At most `requests` in each window of `windowSeconds`. */
export interface RateLimit {
  requests: number;
  windowSeconds: number;
}

/** Calls that a daemon has counted against one client of a limit, a key or an address, and has not yet shared. */
export interface LimitCalls {
  client: string;
  calls: number;
}

/** Counts of all daemons together against a client in its current window. */
export interface LimitState {
  client: string;
  used: number;
  /** Until the window ends. */
  endsInMs: number;
}

export interface LimitStore {
  /** Adds the calls of this daemon, and returns the state of these clients. */
  share(name: string, limit: RateLimit, calls: readonly LimitCalls[]): Promise<LimitState[]>;
}
