/** Reads a path below `/api/v1/` for one turn of the loop; rejects with a `Problem`. */
export type Read = <Body>(path: string, query?: ApiQuery) => Promise<Body>;

export type ApiQuery = Readonly<Record<string, string | number | undefined>>;

/** The limit of a key as the daemon states it: requests in a number of seconds. */
export interface RequestLimit {
  quota: number;
  windowSeconds: number;
}

export interface Api {
  /** A reader that stops with the signal. */
  readWith(signal: AbortSignal): Read;
  /** Makes every answer old: the next turn asks again, a 304 keeps the same object. */
  expire(): void;
  limit(): RequestLimit | undefined;
}
