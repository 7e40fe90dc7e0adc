/** What the names of the marks begin with that say which commands are due after a key. */
export function duePrefix(keyId: string): string {
  return `after_rotation:${keyId}:`;
}
