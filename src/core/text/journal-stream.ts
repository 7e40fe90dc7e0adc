/**
 * Whether a file is the journal's stream that systemd names in `JOURNAL_STREAM`, by device and inode, since another program may
 * have put a pipe before it. Each line there may begin with its priority (sd-daemon(3)), by which `journalctl -p` selects.
 */
export function isJournalStream(named: string | undefined, { dev, ino }: { dev: number; ino: number }): boolean {
  return named === `${dev}:${ino}`;
}
