import { HkctlError } from '../../core/errors.ts';
import { createNotifier, type Notifier } from './notifier.ts';

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

/** The time within which systemd expects a sign of life; undefined where it expects none of this process. */
function watchdogMs(env: Variables, pid: number): number | undefined {
  const us = Number(env.WATCHDOG_USEC);
  if (!Number.isFinite(us) || us <= 0) return undefined;
  if (env.WATCHDOG_PID !== undefined && Number(env.WATCHDOG_PID) !== pid) return undefined;
  return us / 1000;
}
