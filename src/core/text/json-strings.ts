/** The quote that closes the JSON string opened at `start`: the first with an even number of backslashes before it; -1 without one. */
export function endOfJsonString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    if (!isEscaped(text, end)) return end;
  }
  return -1;
}

/** Whether a quote within a JSON string belongs to it: an odd number of backslashes precedes it. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === 92) before--;
  return (quote - before) % 2 === 0;
}
