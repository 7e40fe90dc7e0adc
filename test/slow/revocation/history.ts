/** A request with a key, with when it began and ended; no status where nothing was answered. All times are of one monotonic clock. */
export interface Request {
  keyId: string;
  daemon: number;
  startMs: number;
  endMs: number;
  status: number | undefined;
}

/** A key that an operation stopped for ever, and when that operation was answered. */
export interface Stop {
  keyId: string;
  by: string;
  answeredMs: number;
}

/** When the files of the store were swapped, and how long daemons may take to notice. */
export interface Swap {
  endMs: number;
  noticeMs: number;
}

/**
 * What a history must not hold: a key let in by a request that began after its end was answered, and any request let in
 * that began later after a swap than daemons may take to notice. Until they notice they know nothing of what was stopped
 * after the swap.
 */
export function violationsOf(
  requests: readonly Request[],
  stops: readonly Stop[],
  swap?: Swap,
): string[] {
  const stopped = new Map<string, Stop>();
  for (const stop of stops) {
    const known = stopped.get(stop.keyId);
    if (known === undefined || stop.answeredMs < known.answeredMs) stopped.set(stop.keyId, stop);
  }
  const noticedMs = swap ? swap.endMs + swap.noticeMs : Number.POSITIVE_INFINITY;
  return requests.flatMap(({ keyId, daemon, startMs, status }) => {
    if (status !== 200) return [];
    if (startMs > noticedMs)
      return [
        `daemon ${daemon} let ${keyId} in ${startMs - noticedMs} ms after a swap was to be noticed`,
      ];
    const stop = stopped.get(keyId);
    if (stop === undefined || startMs <= stop.answeredMs) return [];
    const isUnknown = swap !== undefined && stop.answeredMs > swap.endMs;
    return isUnknown
      ? []
      : [`daemon ${daemon} let ${keyId} in ${startMs - stop.answeredMs} ms after: ${stop.by}`];
  });
}
