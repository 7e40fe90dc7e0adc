/** One request and what its answer must be. */
export interface Scenario {
  name: string;
  path: string;
  method?: string;
  /** The key of the request; by default one with every permission. */
  key?: 'all' | 'none' | 'gateway' | 'chicago' | 'revoked' | 'expired' | 'orphan' | 'closed' | 'homeless' | 'unknown';
  authorization?: string;
  type?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
  status: number;
  code?: string;
  /** Part of the body. */
  holds?: Record<string, unknown>;
  header?: Record<string, RegExp>;
}

/** A body of readings. */
export const readings = (list: unknown) => JSON.stringify({ readings: list });

/** A POST of readings as JSON. */
export const json = { method: 'POST', path: '/api/v1/sensors/readings', type: 'application/json' };
