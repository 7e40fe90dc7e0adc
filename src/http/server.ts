import type { Server as HttpServer, RequestListener } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { createServer as createProbe } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from 'listhen';
import type { DestinationStream } from 'pino';
import type { Domain } from '../core/access/actors.ts';
import { HkctlError } from '../core/errors.ts';
import type { ServeSettings } from '../core/operations/settings.ts';
import type { ResourceDefinition } from '../core/records/fields.ts';
import type { Clock } from '../core/time/instants.ts';
import { storeClock } from '../core/time/steady-clock.ts';
import { createApp } from './app.ts';
import { isLoopbackAddress } from './auth/client-addresses.ts';
import { DaemonClock } from './auth/clock.ts';
import { UseRecorder } from './auth/last-use.ts';
import { LimitSharing } from './auth/limit-sharing.ts';
import { createMemory, type MemoryLimits, memoryLimits } from './fairness/memory.ts';
import { AuditAnchors } from './monitoring/anchors.ts';
import { createLog, createLogStream, type Log, logProcessEnd } from './monitoring/log.ts';
import { Retention } from './monitoring/retention.ts';
import { graceMs, StoreGuard } from './monitoring/store-guard.ts';
import { type ConnectionLimits, Connections, connectionLimits } from './net/connections.ts';
import { createFraming } from './net/framing.ts';
import { toListener } from './net/listener.ts';
import { holdRequests, type StartRights, sameRights } from './net/start-rights.ts';
import { canStillRead, reloadCertificate, requireCertificate, warnWhereKeyIsOpen } from './net/tls.ts';

export interface ServeOptions {
  domain: Domain;
  /** The machine's clock, right or wrong, from which the daemon derives the clock of the domain. */
  machineClock: Clock;
  /** Milliseconds since the machine started, sleep included. */
  machineUptime: Clock;
  settings: ServeSettings;
  resources: readonly ResourceDefinition[];
  version: string;
  /** The folder with the two files of swagger-ui-dist. */
  docsFolder: string;
  /** The destination of the log; standard output by default. */
  log?: DestinationStream;
  /** The rights of a daemon that root started on the store of another account; by default they do not change. */
  rights?: StartRights;
  /** Limits of connections and memory that differ from the defaults. */
  limits?: Partial<ConnectionLimits & MemoryLimits>;
  /** Milliseconds that answers under way may take after `stop`; 10,000 by default. */
  drainMs?: number;
}

export interface ServeHooks {
  /** Aborted to stop the daemon. */
  stop: AbortSignal;
  /** Called with the daemon's address once it answers. */
  listening(baseUrl: string): void;
  /** File descriptor of the log where `ServeOptions` has no destination: standard output (the default) or error. */
  logFd?: 1 | 2;
}

/** Milliseconds that answers under way may take after `stop`. */
const drainMs = 10_000;

/**
 * Serves until `stop` is aborted, then drains: it begins nothing new, finishes answers under way and writes times of last
 * use. Resolves when the last connection is closed. Throws `bad_input` for a port that is in use.
 */
export async function serve(options: ServeOptions, hooks: ServeHooks): Promise<void> {
  const { settings, rights = sameRights } = options;
  const out = options.log ? { stream: options.log, close() {} } : createLogStream(hooks.logFd ?? 1);
  const log = createLog(settings.logLevel, out.stream);
  const stopProcessLog = logProcessEnd(log, out.close);
  const machineClock = storeClock(options.domain.store, options.machineClock);
  const clock = new DaemonClock(options.domain.store, machineClock, options.machineUptime, log);
  const domain = { ...options.domain, clock: clock.now };
  const guard = new StoreGuard(domain.store, log);
  const uses = new UseRecorder(domain.store.keys, log);
  const limitSharing = new LimitSharing(domain.store.limits, log);
  const anchors = new AuditAnchors(domain.store.audit, log);
  const retention = new Retention(domain, log);
  const certificate = requireCertificate(settings, rights);
  if (certificate) warnWhereKeyIsOpen(certificate, log);
  await domain.store.daemon.begin();
  const limits = { ...connectionLimits, ...memoryLimits, ...options.limits };
  const memory = createMemory(limits);
  const connections = new Connections(limits, log);
  const app = createApp({
    ...options,
    memory,
    connections,
    domain,
    log,
    recordUse: (keyId, nowMs) => uses.record(keyId, nowMs),
    shareLimits: (limiters) => limitSharing.start(limiters),
    isStopping: () => hooks.stop.aborted,
    storeRefusal: (nowMs) => guard.refusal(nowMs),
    commonHeaders: certificate ? ['Strict-Transport-Security', 'max-age=31536000'] : [],
  });
  await guard.start();
  await clock.follow();
  const framing = createFraming(log);
  const requests = holdRequests(framing.rejectAmbiguous(toListener(app)));
  const { server, url, stopReloading } = await rights.withOwnForTheLastTime(async () => {
    const { server, url } = await open(requests.listener, settings, certificate !== undefined);
    connections.watch(server, () => memory.answers.isTight);
    framing.guard(server);
    // With a certificate the server was made with https.
    const stopReloading = certificate && (await reloadCertificate(server as HttpsServer, certificate, log));
    return { server, url, stopReloading };
  });
  if (certificate && !(await canStillRead(certificate, log))) stopReloading?.();
  requests.pass();
  const address = settings.baseUrl ?? url;
  await domain.store.daemon.recordAddress(address, process.pid);
  warnWhereExposed(settings, log);
  log.info({ url, version: options.version, pid: process.pid }, 'listening');
  uses.start();
  clock.start();
  await anchors.start();
  retention.start();
  hooks.listening(address);

  await aborted(AbortSignal.any([hooks.stop, guard.displaced]));
  if (guard.fault) await Promise.race([pause(graceMs), aborted(hooks.stop)]);
  log.info({}, 'stopping');
  stopReloading?.();
  await drain(server, connections, options.drainMs ?? drainMs, log);
  await retention.stop();
  guard.stop();
  if (guard.fault) throw guard.fault;
  await uses.stop();
  await limitSharing.stop();
  await clock.stop();
  await anchors.stop();
  await domain.store.daemon.clearAddress(process.pid);
  log.info({}, 'stopped');
  log.flush();
  out.close();
  stopProcessLog();
}

async function open(listener: RequestListener, settings: ServeSettings, isTls: boolean) {
  const { host, tlsCert = '', tlsKey = '' } = settings;
  const port = await freePort(host, settings.port);
  const listening = await listen(listener, {
    hostname: host,
    port,
    https: isTls ? { cert: tlsCert, key: tlsKey } : false,
    // listhen's own closing would drop answers under way, and its search would silently take another port.
    autoClose: false,
    isProd: true,
    isTest: true,
    public: !isLoopbackAddress(host),
    showURL: false,
    ws: false,
  });
  const server = listening.server as HttpServer | HttpsServer; // listhen types it as the base of both
  const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return { server, url: `${isTls ? 'https' : 'http'}://${shown}:${port}` };
}

/** Checks a port before listhen tries: it replaces 0 by its default port, and waits for a port that is in use. */
function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createProbe();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const free = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(free));
    });
  });
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): HkctlError {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program has that port',
    EACCES: 'ports below 1024 need more rights',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  };
  return new HkctlError(
    'bad_input',
    `Cannot listen on ${host} port ${port}: ${reasons[error.code ?? ''] ?? error.code}.`,
    {
      hint: 'Give another --host or --port; --port 0 takes any that is free.',
      cause: error,
    },
  );
}

function warnWhereExposed({ host, tlsCert, trustProxy }: ServeSettings, log: Log): void {
  if (isLoopbackAddress(host) || tlsCert !== undefined) return;
  const advice =
    trustProxy.length > 0
      ? 'make sure that only the proxy can reach this port'
      : 'give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks TLS';
  log.warn({ host }, `API KEYS TRAVEL UNENCRYPTED: listening on ${host} without TLS; ${advice}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Closes the port and idle connections at once, others after their answer, and all at the deadline. */
async function drain(
  server: HttpServer | HttpsServer,
  connections: Connections,
  deadlineMs: number,
  log: Log,
): Promise<void> {
  const since = Date.now();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeUnneeded = (): void => {
    server.closeIdleConnections();
    // Node does not count connections as idle that have sent nothing or have not finished their handshake.
    connections.closeSilent(since);
  };
  closeUnneeded();
  // A kept-alive connection becomes idle after its answer, and Node would not close it.
  const sweep = setInterval(closeUnneeded, 50);
  const deadline = setTimeout(() => {
    log.warn({ connections: connections.table.size }, 'answers under way took too long; cutting them off');
    connections.closeAll();
  }, deadlineMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
