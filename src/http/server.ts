import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Domain } from '../core/domain/domain.ts';
import { storeClock } from '../core/domain/steady-clock.ts';
import type { ResourceDefinition } from '../core/fields/fields.ts';
import type { ServeSettings } from '../core/operations/settings.ts';
import { stopText } from '../core/operations/stops.ts';
import type { EntityStore } from '../core/port/entities.ts';
import type { LimitStore } from '../core/port/limits.ts';
import { type Clock, formatInstantMs } from '../core/time/instants.ts';
import { createApp } from './app.ts';
import { isLoopbackAddress } from './auth/client-addresses.ts';
import { createLimiters, type Limiters } from './auth/limits.ts';
import type { DocumentFolders } from './docs/docs.ts';
import {
  createFirstCalls,
  createLog,
  createLogStream,
  type Log,
  type LogStream,
  logProcessEnd,
} from './monitoring/log.ts';
import type { LogForm } from './monitoring/log-forms.ts';
import { createRetryLog } from './monitoring/warnings.ts';
import {
  allowedConnections,
  type ConnectionLimits,
  Connections,
  connectionLimits,
} from './net/connections.ts';
import { createFraming } from './net/framing.ts';
import { createListener } from './net/listener.ts';
import { adoptSocket, isAnyAddress, openPort } from './net/port.ts';
import { reloadCertificate, requireCertificate } from './net/tls.ts';
import type { PageFolder } from './page/page.ts';
import { createMemory, type MemoryLimits, memoryLimits } from './request/memory.ts';
import type { ServiceManager } from './systemd/service-manager.ts';
import { createAnchors } from './tasks/anchors.ts';
import { createCertificateWatch } from './tasks/certificate.ts';
import { createDaemonClock } from './tasks/clock.ts';
import { createNotices } from './tasks/notices.ts';
import { createRepetition, type Repetition } from './tasks/repetition.ts';
import { createRetention } from './tasks/retention.ts';
import { createStoreGuard, graceMs } from './tasks/store-guard.ts';
import { createUsageRecorder } from './tasks/usage-recorder.ts';

export interface ServeOptions extends DocumentFolders, PageFolder {
  domain: Domain;
  /** The machine's clock, right or wrong, from which the daemon derives the clock of the domain. */
  machineClock: Clock;
  /** Milliseconds since the machine started, sleep included. */
  machineUptime: Clock;
  settings: ServeSettings;
  resources: readonly ResourceDefinition[];
  version: string;
  /** The destination of the log; standard output by default. */
  log?: LogStream;
  /** The form of its lines; JSON by default. */
  logForm?: LogForm;
  /** The environment of the command of `--notify`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Socket and settings that systemd has passed to this process; nothing by default. */
  serviceManager?: ServiceManager;
  limits?: Partial<ConnectionLimits & MemoryLimits>;
}

interface ServeHooks {
  stop: AbortSignal;
  /** Called with the daemon's address once it answers. */
  listening(baseUrl: string): void;
  /** Whether to write a line at the first call of each key, for a terminal. */
  announcesCalls?: boolean;
  /** File descriptor of the log if `ServeOptions` has no destination: standard output (the default) or error. */
  logFd?: 1 | 2;
}

/**
 * Serves until `stop` is aborted, then drains: it begins nothing new, finishes answers in progress and writes the rest of last
 * uses and usage. Resolves when the last connection is closed. Throws `bad_input` for a port that is in use.
 */
export async function serve(options: ServeOptions, hooks: ServeHooks): Promise<void> {
  const { settings, serviceManager } = options;
  const listenFd = serviceManager?.listenFd;
  const logOutput =
    options.log ??
    createLogStream(hooks.logFd ?? 1, (pieces) =>
      log.warn({ pieces }, 'parts of the log were left out, since nothing read it'),
    );
  const closeLog = (): void => logOutput.close?.();
  const log: Log = createLog(settings.logLevel, logOutput, options.logForm);
  const stopProcessLog = logProcessEnd(log, closeLog);

  for (const stopped of options.domain.store.stoppedAgain ?? []) {
    log.warn(
      { ...stopped, at: formatInstantMs(stopped.atMs) },
      `STOPPED AGAIN: ${stopText(stopped)}, as the journal says; the store was copied without its -wal file`,
    );
  }

  const machineClock = storeClock(options.domain.store, options.machineClock);
  const retryLog = createRetryLog(log, () => performance.now());
  const clock = createDaemonClock(
    options.domain.store,
    machineClock,
    options.machineUptime,
    retryLog,
  );
  const domain = { ...options.domain, clock: clock.now, steady: clock.steady };

  const storeGuard = createStoreGuard(domain.store, retryLog);
  const usageRecorder = createUsageRecorder(domain, retryLog);
  const limiters = createLimiters(settings);
  const limitSharing =
    domain.store.limits && createLimitSharing(domain.store.limits, limiters, retryLog);
  const anchors = createAnchors(domain.store.audit, retryLog);
  const retention = createRetention(domain, retryLog);
  const { notify } = settings;
  const certificateWatch = createCertificateWatch(domain, log);
  const notices = createNotices(domain, {
    log,
    certificate: certificateWatch.validity,
    notify: notify === undefined ? undefined : { command: notify, env: options.env ?? {} },
  });

  const certificate = requireCertificate(settings);
  await domain.store.daemon.begin();

  const limits = { ...connectionLimits, ...memoryLimits, ...options.limits };
  limits.connections = allowedConnections(limits.connections);
  const memory = createMemory(limits);
  const connections = new Connections(limits, log, settings.trustProxy);
  const app = createApp({
    ...options,
    memory,
    connections,
    limiters,
    domain,
    log,
    tallyOf: usageRecorder.tallyOf,
    noteCall: hooks.announcesCalls ? createFirstCalls((line) => logOutput.write(line)) : undefined,
    isStopping: () => hooks.stop.aborted,
    // If the next daemon takes over the socket, clients notice nothing of the change.
    answersWhileStopping: listenFd !== undefined,
    storeRefusal: storeGuard.refusal,
    expiryWarnings: notices.warnings,
    certificate: certificateWatch.validity,
    commonHeaders: certificate ? ['Strict-Transport-Security', 'max-age=31536000'] : [],
  });

  await domain.store.openAll();
  storeGuard.start();
  await clock.follow();

  const framing = createFraming(log, connections.pace);
  const listener = createListener(app, framing, connections);
  const { server, host, url } = await (listenFd === undefined
    ? openPort(listener, settings, certificate)
    : adoptSocket(listenFd, listener, certificate));
  connections.watch(server, () => memory.answers.isTight);
  framing.guard(server);
  // With a certificate the server was made with https.
  const stopReloading =
    certificate &&
    reloadCertificate(server as HttpsServer, certificate, log, certificateWatch.loaded);

  const address = settings.baseUrl ?? url;
  await domain.store.daemon.recordAddress(address, process.pid, options.version);
  await certificateWatch.run();
  warnWhereExposed(host, settings, log);
  if (settings.baseUrl === undefined && isAnyAddress(host))
    log.info({ url }, 'clients that reach this daemon by another name or a proxy need --base-url');
  log.info({ url, version: options.version, pid: process.pid }, 'listening');

  await anchors.run();
  const lastTasks = [usageRecorder, ...(limitSharing ? [limitSharing] : []), clock, anchors];
  for (const task of [...lastTasks, retention, notices, certificateWatch]) task.start();
  finishRemovals(domain.store.entities, log, hooks.stop);

  // V8 would let new objects spread over 48 MB (Node 24: 96), which no processor's cache holds (decision 34).
  setFlagsFromString('--semi-space-growth-factor=1');
  hooks.listening(address);
  serviceManager?.notify(log, 'READY=1', `MAINPID=${process.pid}`, `STATUS=Serving ${address}`);

  await aborted(AbortSignal.any([hooks.stop, storeGuard.displaced]));
  if (storeGuard.displaced.aborted) await Promise.race([pause(graceMs), aborted(hooks.stop)]);

  log.info({}, 'stopping');
  serviceManager?.notify(log, 'STOPPING=1', 'STATUS=Finishing answers in progress');
  stopReloading?.();
  const isTakenOver = listenFd !== undefined && !storeGuard.displaced.aborted;
  await drain(server, connections, { deadlineMs: limits.drainMs, isTakenOver, log });

  await notices.stop();
  await certificateWatch.stop();
  await retention.stop();
  await storeGuard.stop();
  storeGuard.displaced.throwIfAborted();
  for (const task of lastTasks) await task.stop();
  await domain.store.daemon.clearAddress(process.pid);

  log.info({}, 'stopped');
  log.flush();
  closeLog();
  stopProcessLog();
}

function warnWhereExposed(host: string, { tlsCert, trustProxy }: ServeSettings, log: Log): void {
  if (isLoopbackAddress(host) || tlsCert !== undefined) return;
  const advice =
    trustProxy.length > 0
      ? 'make sure that only the proxy can reach this port'
      : 'give --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that speaks TLS';
  log.warn({ host }, `API KEYS TRAVEL UNENCRYPTED: listening on ${host} without TLS; ${advice}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}

/**
 * Closes the port and idle connections at once, others after their answer, and all at the deadline. If the next daemon
 * takes over the socket, a connection that was just accepted gets a moment to send its request.
 */
async function drain(
  server: HttpServer | HttpsServer,
  connections: Connections,
  { deadlineMs, isTakenOver, log }: { deadlineMs: number; isTakenOver: boolean; log: Log },
): Promise<void> {
  const drainingSince = performance.now();
  const serverClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeUnneeded = (): void => {
    server.closeIdleConnections();
    // Node does not count connections as idle that have sent nothing or have not finished their handshake.
    connections.closeSilent(drainingSince, isTakenOver);
  };

  closeUnneeded();
  // A kept-alive connection becomes idle after its answer, and Node would not close it.
  const sweepTimer = setInterval(closeUnneeded, 50);
  const deadlineTimer = setTimeout(() => {
    log.warn(
      { connections: connections.table.size },
      'answers in progress took too long; cutting them off',
    );
    connections.closeAll();
  }, deadlineMs);

  await serverClosed;
  clearInterval(sweepTimer);
  clearTimeout(deadlineTimer);
}

/** All daemons together exceed a limit at most by the calls of this time. */
const shareMs = 1000;

/**
 * Shares the counts of limits with the other daemons once a second, so that a request costs no statement. While the store
 * cannot be reached, each daemon counts by itself; while it is slow, the counts gather.
 */
function createLimitSharing(store: LimitStore, limiters: Limiters, log: Log): Repetition {
  return createRepetition({
    everyMs: shareMs,
    log,
    failure: 'limits were not shared with other daemons; trying again',
    async work() {
      for (const limiter of Object.values(limiters)) await limiter?.share(store);
    },
  });
}

/**
 * Completes removals of entities that were interrupted, in the background: their data is out of reach of every key already. The
 * daemon does not wait for them when it ends, since an incomplete removal is undone and left to the next daemon.
 */
function finishRemovals(
  entities: Pick<EntityStore, 'finishRemovals'>,
  log: Log,
  stopSignal: AbortSignal,
): void {
  entities.finishRemovals?.().catch((thrown: unknown) => {
    if (!stopSignal.aborted)
      log.warn(
        { err: thrown },
        'data of a removed entity was not deleted; the next start tries again',
      );
  });
}
