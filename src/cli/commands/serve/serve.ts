import { errnoOf } from '../../../core/errno.ts';
import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import { parseNetwork } from '../../../core/keys/networks.ts';
import {
  logLevels,
  parseRateLimit,
  type ServeSettings,
  serveDefaults,
  usualLimits,
} from '../../../core/operations/settings.ts';
import { daemonsOf } from '../../../core/operations/status.ts';
import { stopCommand } from '../../../core/operations/stopping.ts';
import type { Daemon } from '../../../core/port/daemons.ts';
import { grouped } from '../../../core/text/words.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand, requireBaseUrl } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { listFlag, oneOf, parsed, textFlag, toggle } from '../../command/flags.ts';
import { wrapFacts, wrapWhole } from '../../terminal/wrap.ts';
import { parseHost, parseOrigin, parsePort } from './addresses.ts';
import { answersAt } from './probe.ts';

export default defineCommand({
  summary: 'Run the API daemon in the foreground',
  description: 'SIGTERM and SIGINT end it after the answers in progress, a second SIGINT at once.',
  fields: ['base_url'],
  flags: {
    host: parsed(
      '--host <ADDRESS>',
      `address to listen on (default ${serveDefaults.host})`,
      parseHost,
    ),
    port: parsed(
      '--port <PORT>',
      `port; 0 = any free one (default ${serveDefaults.port})`,
      parsePort,
    ),
    baseUrl: parsed(
      '--base-url <URL>',
      'address of the API in examples, if it is behind a proxy',
      requireBaseUrl,
    ),
    tlsCert: textFlag('--tls-cert <FILE>', 'certificate (PEM); with --tls-key'),
    tlsKey: textFlag('--tls-key <FILE>', 'private key (PEM); with --tls-cert'),
    trustProxy: listFlag(
      '--trust-proxy <ADDRESS>',
      'address or CIDR range whose X-Forwarded-For is believed (repeatable)',
      parseNetwork,
    ),
    corsOrigin: listFlag(
      '--cors-origin <ORIGIN>',
      'origin that browsers may call from (repeatable)',
      parseOrigin,
    ),
    metricsPublic: toggle('--metrics-public', 'let others than loopback read /metrics'),
    noPage: toggle('--no-page', 'serve no page for people at /'),
    limitFailedChecks: limit(
      'failed-checks',
      'failed key checks per client address',
      usualLimits.failedChecks,
    ),
    limitRequests: limit('requests', 'requests per key', usualLimits.requests),
    limitIngest: limit('ingest', 'ingest requests per key', usualLimits.ingest),
    notify: textFlag('--notify <COMMAND>', 'command that receives what needs attention, as JSON'),
    logLevel: oneOf('--log-level <LEVEL>', logLevels, 'how much to log'),
  },
  examples: [
    ['hkctl serve', 'on 127.0.0.1:8420'],
    ['hkctl serve --host 0.0.0.0 --tls-cert api.pem --tls-key api.key', 'for the plant network'],
    ['HKCTL_PORT=9000 hkctl serve --log-level warn', 'flags as variables'],
  ],
  async run(context, flags) {
    requireBothOfTls(flags);
    const typedFlags = Object.entries(flags).filter(([, value]) => value !== undefined);
    const settings: ServeSettings = { ...serveDefaults, ...Object.fromEntries(typedFlags) };
    // The daemon logs what was stopped again.
    const domain = await context.domain({ warns: false });
    const { newest: other } = await daemonsOf(domain, answersAt);
    const keys = (await domain.store.metrics?.read(domain.clock()))?.keys.active;
    const { io, json } = context;
    try {
      await context.services.serve(domain, settings, {
        stop: io.interrupted(),
        logFd: json ? 2 : 1,
        wrapLogLine: (line) => wrapLogLine(line, (json ? io.stderr : io.stdout).columns()),
        announcesCalls: io.stdout.isTTY && !json,
        listening(baseUrl) {
          if (json) context.printJson({ base_url: baseUrl });
          context.say(`hkctl serves ${baseUrl}`);
          if (other) context.say(`note: this store is also served by ${nameOf(other)}`);
          if (io.stderr.isTTY)
            context.say(...factsOf(context, baseUrl, keys), 'Waiting for the first call.');
        },
      });
    } catch (thrown) {
      throw other && isHkctlError(thrown) && errnoOf(thrown.cause) === 'EADDRINUSE'
        ? served(other, thrown)
        : thrown;
    }
  },
});

/** Further lines of one begin below its level, behind the time of day. */
const logIndent = ' '.repeat('08:15:00 '.length);

function wrapLogLine(line: string, columns: number | undefined): string {
  if (columns === undefined) return line;
  const lines = wrapWhole(line, columns - logIndent.length);
  return lines.map((part) => part.trim()).join(`\n${logIndent}`);
}

function factsOf(context: Context, baseUrl: string, keys: number | undefined): string[] {
  const count =
    keys === undefined
      ? []
      : [keys === 0 ? 'none yet: hkctl keys create' : `${grouped(keys)} active`];
  return wrapFacts(
    [
      ['  version', context.services.version],
      ['  store', context.storePath],
      ['  documents', `${baseUrl}/api/v1/docs`],
      ...count.map((text) => ['  keys', text] as const),
    ],
    context.io.stderr.columns(),
  );
}

function nameOf({ baseUrl, pid, sinceMs }: Daemon): string {
  return `the daemon at ${baseUrl} (process ${pid}), since ${formatInstantMs(sinceMs).replace(/\.\d+Z$/, 'Z')}`;
}

/** The refusal of a port that most probably a daemon of the same store has. */
function served(other: Daemon, { code, message, cause }: HkctlError): HkctlError {
  return new HkctlError(code, `This store is already served by ${nameOf(other)}. ${message}`, {
    hint: `Use that one, or end it first (under systemd: ${stopCommand}). --port 0 serves the store a second time, on another port.`,
    cause,
  });
}

function limit(name: string, subject: string, usual: string) {
  return parsed(
    `--limit-${name} <N/s|m|h>`,
    `${subject}, or off (default ${usual})`,
    parseRateLimit,
  );
}

/** Refuses a certificate without its key, and a key without its certificate: `usage`. */
export function requireBothOfTls({ tlsCert, tlsKey }: { tlsCert?: string; tlsKey?: string }): void {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return;
  throw new HkctlError(
    'usage',
    `${tlsCert === undefined ? '--tls-cert' : '--tls-key'} is missing: TLS takes both.`,
  );
}
