import { HkctlError } from '../errors.ts';
import type { RateLimit } from '../port/limits.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface ServeSettings {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** Paths of PEM files; both or none. */
  tlsCert: string | undefined;
  tlsKey: string | undefined;
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. */
  trustProxy: readonly string[];
  /** The public address, for examples and documents, of a daemon behind a proxy. */
  baseUrl: string | undefined;
  /** Origins allowed by CORS; none by default. */
  corsOrigin: readonly string[];
  /** Whether clients other than loopback may read `/metrics`. */
  metricsPublic: boolean;
  /** Null turns a limit off. */
  limitFailedChecks: RateLimit | null;
  limitRequests: RateLimit | null;
  limitIngest: RateLimit | null;
  logLevel: LogLevel;
}

/** The defaults of the contract, sections 3 and 6. */
export const serveDefaults: ServeSettings = {
  host: '127.0.0.1',
  port: 8420,
  tlsCert: undefined,
  tlsKey: undefined,
  trustProxy: [],
  baseUrl: undefined,
  corsOrigin: [],
  metricsPublic: false,
  limitFailedChecks: { requests: 20, windowSeconds: 60 },
  limitRequests: { requests: 600, windowSeconds: 60 },
  limitIngest: { requests: 6000, windowSeconds: 60 },
  logLevel: 'info',
};

const windows = { s: 1, m: 60, h: 3600 } as const;

/** A limit as people type it: `600/m`, or `off`. */
export function rateLimitText(limit: RateLimit | null): string {
  if (limit === null) return 'off';
  const unit = Object.entries(windows).find(([, seconds]) => seconds === limit.windowSeconds)?.[0];
  return `${limit.requests}/${unit ?? `${limit.windowSeconds}s`}`;
}

/** Parses `600/m`, `20/s`, `5/h` or `off` (null: no limit). Throws `usage`. */
export function parseRateLimit(text: string): RateLimit | null {
  if (text === 'off') return null;
  const match = /^([1-9]\d{0,8})\/([smh])$/.exec(text);
  if (!match) throw new HkctlError('usage', `"${text}" is not a limit: give N/s, N/m, N/h or off, such as 600/m.`);
  return { requests: Number(match[1]), windowSeconds: windows[match[2] as keyof typeof windows] }; // the pattern allows no other
}
