/** A value as JSON, for a message; what is nested too deeply for that is said to be so. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    // The engine runs out of stack.
    if (thrown instanceof RangeError) return 'what is nested very deeply';
    throw thrown;
  }
}

/** A text without characters that would play tricks on a terminal: each is written as its number. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
