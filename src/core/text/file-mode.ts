/** The permission bits of a file as chmod(1) takes them: `0750`. */
export function modeText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
