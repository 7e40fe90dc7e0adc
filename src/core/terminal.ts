/** Whether a file is the journal's stream, by device and inode; its lines may begin with a priority (sd-daemon(3)). */
export function isJournalStream(
  terminalId: string | undefined,
  { dev, ino }: { dev: number; ino: number },
): boolean {
  return terminalId === `${dev}:${ino}`;
}
