import { existsSync, readFileSync } from 'node:fs';
import { HkctlError } from '../errors.ts';

const limitsFile = '/proc/self/limits';

/**
 * How many files and sockets this process may have open, by Linux; infinite on other systems, which tell it only to a shell.
 * Node raises the soft limit to the hard one at its start.
 */
export function descriptorLimit(): number {
  const limits = existsSync(limitsFile) ? readFileSync(limitsFile, 'utf8') : '';
  const softLimit = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return softLimit === undefined ? Number.POSITIVE_INFINITY : Number(softLimit);
}

/** Throws `store_unreadable` if fewer descriptors are allowed than a command needs: SQLite would blame rights or the disk. */
export function requireDescriptors(needed: number): void {
  const allowed = descriptorLimit();
  if (allowed >= needed) return;

  throw new HkctlError(
    'store_unreadable',
    `The limit of open files is too small: this process may open ${allowed}, and needs ${needed}.`,
    {
      hint: 'Raise it with ulimit -n 1024, LimitNOFILE=1024 of systemd, or --ulimit nofile=1024 of a container.',
    },
  );
}

/** Whether a file is the journal's stream, by device and inode; its lines may begin with a priority (sd-daemon(3)). */
export function isJournalStream(
  terminalId: string | undefined,
  { dev, ino }: { dev: number; ino: number },
): boolean {
  return terminalId === `${dev}:${ino}`;
}
