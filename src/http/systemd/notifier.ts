import { spawn } from 'node:child_process';
import type { Log } from '../monitoring/log.ts';

/** Reports the state of the daemon to systemd (sd_notify(3)). */
export interface Notifier {
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
export function createNotifier(socket: string | undefined, watchdogMs: number | undefined, pid: number): Notifier {
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
      // The timer runs on the main thread: where that one hangs, the messages end and systemd starts the daemon again.
      if (watchdogMs) setInterval(() => send(log, 'WATCHDOG=1'), watchdogMs / messagesPerWatchdog).unref();
    },
    stopping() {
      send(known, 'STOPPING=1', 'STATUS=Finishing what is under way');
    },
  };
}
