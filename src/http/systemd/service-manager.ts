import { spawn } from 'node:child_process';
import { HkctlError } from '../../core/errors.ts';
import type { Log } from '../monitoring/log.ts';

/** Socket and settings that systemd has passed to this process in its environment. Both are empty outside of systemd. */
export interface ServiceManager {
  /** File descriptor of the socket that systemd listens on, to be served in place of `--host` and `--port`. */
  listenFd: number | undefined;
  /** Reports states, such as `READY=1`, and from the first ones on also signs of life, if systemd has asked for them. */
  notify(log: Log, ...states: string[]): void;
}

/** A third of the time allowed, so that one late message does no harm. */
const messagesPerWatchdog = 3;

/** The first descriptor that systemd passes: SD_LISTEN_FDS_START of sd_listen_fds(3). */
const firstFd = 3;

/**
 * Reads the variables of sd_listen_fds(3), sd_notify(3) and sd_watchdog_enabled(3). Throws `usage` for several sockets. Node opens
 * no datagram sockets of the Unix domain, so that each message is sent by the program systemd-notify, a few times a minute; the
 * unit needs `NotifyAccess=all`.
 */
export function readServiceManager(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): ServiceManager {
  // A child process inherits the variables of its parent, but not the descriptor.
  const socketCount = Number(env.LISTEN_PID) === pid ? Number(env.LISTEN_FDS) : 0;
  if (socketCount > 1) {
    throw new HkctlError('usage', `systemd passes ${socketCount} sockets; hkctl serves one.`, {
      hint: 'Leave one ListenStream= in the socket unit; hkctl systemd-unit --socket prints such a unit.',
    });
  }
  const isWatched = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === pid;
  const watchdogMs = isWatched ? Number(env.WATCHDOG_USEC ?? 0) / 1000 : 0;
  let isWatchdogRunning = false;
  return {
    listenFd: socketCount === 1 ? firstFd : undefined,
    notify(log, ...states) {
      if (!env.NOTIFY_SOCKET) return;
      send(env.NOTIFY_SOCKET, log, states);
      // The timer runs on the main thread: if that one hangs, the messages end and systemd starts the daemon again.
      if (watchdogMs > 0 && !isWatchdogRunning)
        setInterval(() => this.notify(log, 'WATCHDOG=1'), watchdogMs / messagesPerWatchdog).unref();
      isWatchdogRunning = true;
    },
  };
}

function send(socket: string, log: Log, states: readonly string[]): void {
  const childEnv = { NOTIFY_SOCKET: socket, PATH: '/usr/bin:/bin:/usr/local/bin' };
  const child = spawn('systemd-notify', states, { env: childEnv, stdio: 'ignore' });
  child.on('error', (thrown) =>
    log.warn({ err: thrown }, 'systemd was not notified: systemd-notify did not start'),
  );
  child.on('exit', (code) => {
    // systemd ends it with the daemon; then there is no code.
    if (code) log.warn({ code, states }, 'systemd was not notified: systemd-notify failed');
  });
  child.unref();
}
