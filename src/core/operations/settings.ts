import { HkctlError } from '../errors.ts';
import type { RateLimit } from '../port/limits.ts';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const windowSecondsByUnit = { s: 1, m: 60, h: 3600 } as const;

/** Parses `600/m`, `20/s`, `5/h` or `off` (null: no limit). Throws `usage`. */
export function parseRateLimit(limitText: string): RateLimit | null {
  if (limitText === 'off') return null;
  const match = /^([1-9]\d{0,8})\/([smh])$/.exec(limitText);
  if (!match) {
    throw new HkctlError(
      'usage',
      `"${limitText}" is not a limit: give N/s, N/m, N/h or off, such as 600/m.`,
    );
  }

  const unit = match[2] as keyof typeof windowSecondsByUnit; // the pattern allows no other
  return { requests: Number(match[1]), windowSeconds: windowSecondsByUnit[unit] };
}

/** The default limits of promise 6.4, as people type them. */
export const usualLimits = { failedChecks: '20/m', requests: '600/m', ingest: '6000/m' } as const;

const unsetText = (): string | undefined => undefined;
const noAddresses: readonly string[] = [];

/** The settings of a daemon with their defaults (promise 6.4). */
export const serveDefaults = {
  host: '127.0.0.1',
  /** 0 = any free port. */
  port: 8420,
  /** Paths of PEM files; both or none. */
  tlsCert: unsetText(),
  tlsKey: unsetText(),
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. */
  trustProxy: noAddresses,
  /** The public address, for examples and documents, of a daemon behind a proxy. */
  baseUrl: unsetText(),
  /** Origins allowed by CORS. */
  corsOrigin: noAddresses,
  /** Whether clients other than loopback may read `/metrics`. */
  metricsPublic: false,
  /** Whether `/` leads to the documents in place of the page for people. */
  noPage: false,
  /** Null turns a limit off. */
  limitFailedChecks: parseRateLimit(usualLimits.failedChecks),
  limitRequests: parseRateLimit(usualLimits.requests),
  limitIngest: parseRateLimit(usualLimits.ingest),
  logLevel: 'info' as LogLevel, // by default
  /** A command line that receives the notices of the store. */
  notify: unsetText(),
};

export type ServeSettings = typeof serveDefaults;

/** Stops a daemon under systemd, where its socket would start it again at the next request. */
export const stopCommand = 'systemctl stop hkctl.socket hkctl.service';
