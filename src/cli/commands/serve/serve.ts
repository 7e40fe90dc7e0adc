import { errnoOf, HkctlError, isHkctlError } from '../../../core/errors.ts';
import { parseNetwork } from '../../../core/keys/networks.ts';
import {
  logLevels,
  parseRateLimit,
  type ServeSettings,
  serveDefaults,
  stopCommand,
  usualLimits,
} from '../../../core/operations/settings.ts';
import { daemonsOf } from '../../../core/operations/status.ts';
import type { Daemon } from '../../../core/port/daemons.ts';
import { grouped } from '../../../core/text/words.ts';
import { formatInstantMs } from '../../../core/time/instants.ts';
import { defineCommand, requireBaseUrl } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { listFlag, oneOf, parsed, pathFlag, textFlag, toggle } from '../../command/flags.ts';
import { writeMessage } from '../../command/printer.ts';
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
    tlsCert: pathFlag('--tls-cert <FILE>', 'certificate (PEM); with --tls-key'),
    tlsKey: pathFlag('--tls-key <FILE>', 'private key (PEM); with --tls-cert'),
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
    limitFailedChecks: limitFlag(
      'failed-checks',
      'failed key checks per client address',
      usualLimits.failedChecks,
    ),
    limitRequests: limitFlag('requests', 'requests per key', usualLimits.requests),
    limitIngest: limitFlag('ingest', 'ingest requests per key', usualLimits.ingest),
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
    warnOfSocket(context, flags);
    const typedFlags = Object.entries(flags).filter(([, value]) => value !== undefined);
    const settings: ServeSettings = { ...serveDefaults, ...Object.fromEntries(typedFlags) };
    // The daemon itself logs the things that were stopped again.
    const domain = await context.domain({ warns: false });
    const { newest: otherDaemon } = await daemonsOf(domain, answersAt);
    const metrics = await domain.store.metrics?.read(domain.clock());
    const activeKeys = metrics?.keys.active;

    const { io, json } = context;
    const logStream = json ? io.stderr : io.stdout;
    try {
      await context.services.serve(domain, settings, {
        stop: io.interrupted(),
        logFd: json ? 2 : 1,
        wrapLogLine: (line) => wrapLogLine(line, logStream.columns()),
        announcesCalls: io.stdout.isTTY && !json,
        listening(baseUrl) {
          if (json) context.printJson({ base_url: baseUrl });
          writeMessage(io, 'warn', ...context.takeAnnounced());
          context.say(`hkctl serves ${baseUrl}`);
          if (otherDaemon) context.say(`note: this store is also served by ${nameOf(otherDaemon)}`);
          if (io.stderr.isTTY)
            context.say(...factsOf(context, baseUrl, activeKeys), 'Waiting for the first call.');
        },
      });
    } catch (thrown) {
      if (!otherDaemon || !isHkctlError(thrown)) throw thrown;
      const isAddressTaken = errnoOf(thrown.cause) === 'EADDRINUSE';
      throw isAddressTaken ? alreadyServed(otherDaemon, thrown) : thrown;
    }
  },
});

/** A socket unit says where to listen: warns of an address or a port that was given as well (sd_listen_fds(3)). */
function warnOfSocket(
  { io: { env }, warn }: Context,
  { host, port }: { host: string | undefined; port: number | undefined },
): void {
  // A child process inherits the variables of its parent, but not the socket.
  const hasSocket = Number(env.LISTEN_PID) === process.pid && Number(env.LISTEN_FDS) > 0;
  if (!hasSocket) return;

  const ignoredFlags = [
    ...(host === undefined ? [] : ['--host (HKCTL_HOST)']),
    ...(port === undefined ? [] : ['--port (HKCTL_PORT)']),
  ];
  for (const flag of ignoredFlags)
    warn(`warning: ${flag} is ignored: ListenStream= of the socket unit says where to listen.`);
}

/** The further lines of a log line begin below its level, behind the time of day. */
const logIndent = ' '.repeat('08:15:00 '.length);

function wrapLogLine(line: string, columns: number | undefined): string {
  if (columns === undefined) return line;
  const lines = wrapWhole(line, columns - logIndent.length);
  return lines.map((lineText) => lineText.trim()).join(`\n${logIndent}`);
}

function factsOf(context: Context, baseUrl: string, activeKeys: number | undefined): string[] {
  const facts: [string, string][] = [
    ['  version', context.services.version],
    ['  store', context.storePath],
    ['  documents', `${baseUrl}/api/v1/docs`],
  ];
  if (activeKeys === 0) facts.push(['  keys', 'none yet: hkctl keys create']);
  else if (activeKeys !== undefined) facts.push(['  keys', `${grouped(activeKeys)} active`]);
  return wrapFacts(facts, context.io.stderr.columns());
}

function nameOf({ baseUrl, pid, sinceMs }: Daemon): string {
  const startedAt = formatInstantMs(sinceMs).replace(/\.\d+Z$/, 'Z');
  return `the daemon at ${baseUrl} (process ${pid}), since ${startedAt}`;
}

/** The error for a port that another daemon of the same store most probably uses. */
function alreadyServed(otherDaemon: Daemon, { code, message, cause }: HkctlError): HkctlError {
  return new HkctlError(
    code,
    `This store is already served by ${nameOf(otherDaemon)}. ${message}`,
    {
      hint: `Use that one, or end it first (under systemd: ${stopCommand}). --port 0 serves the store a second time, on another port.`,
      cause,
    },
  );
}

function limitFlag(limitName: string, subject: string, defaultLimit: string) {
  return parsed(
    `--limit-${limitName} <N/s|m|h>`,
    `${subject}, or off (default ${defaultLimit})`,
    parseRateLimit,
  );
}

/** Refuses a certificate without its key, and a key without its certificate: `usage`. */
export function requireBothOfTls({ tlsCert, tlsKey }: { tlsCert?: string; tlsKey?: string }): void {
  if ((tlsCert === undefined) === (tlsKey === undefined)) return;
  const missingFlag = tlsCert === undefined ? '--tls-cert' : '--tls-key';
  throw new HkctlError('usage', `${missingFlag} is missing: TLS takes both.`);
}
