import { printable } from '../../core/text/shown-text.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import type { Io } from './io.ts';

/** Priorities of sd-daemon(3), by which `journalctl -p` selects. */
const priorities = {
  error: 3,
  warn: 4,
  info: 6,
} as const;

export type MessageLevel = keyof typeof priorities;

/** A message of a command in the form of the daemon's log in the journal of systemd: one JSON object after its priority. */
export function journalLine(
  level: MessageLevel,
  message: string,
  facts: Readonly<Record<string, unknown>>,
  nowMs: number,
): string {
  const entry = {
    level,
    time: formatInstantMs(nowMs),
    ...facts,
    msg: message,
  };
  const json = printable(JSON.stringify(entry));
  return `<${priorities[level]}>${json}\n`;
}

/** Whether messages are lines of the daemon's log, since standard error leads to the same journal. */
export function logsMessages({ isDaemon, stderr }: Pick<Io, 'isDaemon' | 'stderr'>): boolean {
  return isDaemon === true && stderr.isJournal === true;
}
