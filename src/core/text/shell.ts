/** A text as one word of a command that a person pastes into a shell, in quotes if a character in it has a meaning there. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
