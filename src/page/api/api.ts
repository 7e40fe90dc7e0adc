/** The limit of a key as the daemon states it: requests in a number of seconds. */
export interface RequestLimit {
  quota: number;
  windowSeconds: number;
}

/** An answer of the API; `changed` is false if it is the same as the last one for that address. */
export interface ApiAnswer<Body> {
  body: Body;
  changed: boolean;
}

export interface Api {
  /** Reads a path below `/api/v1/`; rejects with a {@link Problem}. */
  read<Body>(path: string, query?: ApiQuery): Promise<ApiAnswer<Body>>;
  limit(): RequestLimit | undefined;
}

export type ApiQuery = Readonly<Record<string, string | number | undefined>>;
