/** The quote that closes the JSON string opened at `start`: the first with an even number of backslashes before it; -1 without one. */
export function endOfJsonString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 92) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
