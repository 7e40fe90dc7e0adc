import { spawn } from 'node:child_process';
import { HkctlError } from '../../core/errors.ts';
import type { Log } from '../monitoring/log.ts';

interface Notifier {
  /** The daemon answers at an address. From now on systemd also gets signs of life, if it has asked for them. */
  ready(address: string, log: Log): void;
  /** The daemon begins nothing new. Signs of life continue until the process ends. */
  stopping(): void;
}

/** A third of the time allowed, so that one late message does no harm. */
const messagesPerWatchdog = 3;

/**
 * Creates the notifier of a process. Node opens no datagram sockets of the Unix domain, so that each message is sent by the
 * program systemd-notify, a few times a minute; the unit needs `NotifyAccess=all`. Does nothing without a socket.
 */
function createNotifier(socket: string | undefined, watchdogMs: number | undefined, pid: number): Notifier {
  if (!socket) return { ready() {}, stopping() {} };
  const send = (log: Log | undefined, ...states: string[]): void => {
    const env = { NOTIFY_SOCKET: socket, PATH: '/usr/bin:/bin:/usr/local/bin' };
    const child = spawn('systemd-notify', states, { env, stdio: 'ignore' });
    child.on('error', (thrown) => log?.warn({ err: thrown }, 'systemd was not notified: systemd-notify did not start'));
    child.on('exit', (code) => {
      // systemd ends it with the daemon; then there is no code.
      if (code) log?.warn({ code, states }, 'systemd was not notified: systemd-notify failed');
    });
    child.unref();
  };
  let known: Log | undefined;
  return {
    ready(address, log) {
      known = log;
      send(log, 'READY=1', `MAINPID=${pid}`, `STATUS=Serving ${address}`);
      // The timer runs on the main thread: if that one hangs, the messages end and systemd starts the daemon again.
      if (watchdogMs) setInterval(() => send(log, 'WATCHDOG=1'), watchdogMs / messagesPerWatchdog).unref();
    },
    stopping() {
      send(known, 'STOPPING=1', 'STATUS=Finishing answers in progress');
    },
  };
}

/** What systemd has passed to this process in its environment. Outside of systemd it is nothing at all. */
export interface ServiceManager {
  /** File descriptor of the socket that systemd listens on, to be served in place of `--host` and `--port`. */
  listenFd: number | undefined;
  notifier: Notifier;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The first descriptor that systemd passes: SD_LISTEN_FDS_START of sd_listen_fds(3). */
const firstFd = 3;

/** Reads the variables of sd_listen_fds(3), sd_notify(3) and sd_watchdog_enabled(3). Throws `usage` for several sockets. */
export function readServiceManager(env: Variables, pid: number): ServiceManager {
  return { listenFd: readListenFd(env, pid), notifier: createNotifier(env.NOTIFY_SOCKET, watchdogMs(env, pid), pid) };
}

function readListenFd(env: Variables, pid: number): number | undefined {
  // A child process inherits the variables of its parent, but not the descriptor.
  if (Number(env.LISTEN_PID) !== pid) return undefined;
  const count = Number(env.LISTEN_FDS);
  if (!Number.isInteger(count) || count < 1) return undefined;
  if (count > 1) throw severalSockets(count);
  return firstFd;
}

function severalSockets(count: number): HkctlError {
  return new HkctlError('usage', `systemd passes ${count} sockets; hkctl serves one.`, {
    hint: 'Leave one ListenStream= in the socket unit; hkctl systemd-unit --socket prints such a unit.',
  });
}

/** The time within which systemd expects a sign of life; undefined if it expects none of this process. */
function watchdogMs(env: Variables, pid: number): number | undefined {
  const us = Number(env.WATCHDOG_USEC);
  if (!Number.isFinite(us) || us <= 0) return undefined;
  if (env.WATCHDOG_PID !== undefined && Number(env.WATCHDOG_PID) !== pid) return undefined;
  return us / 1000;
}
