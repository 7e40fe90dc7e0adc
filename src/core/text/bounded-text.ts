/** The text with each lone surrogate (which UTF-8 cannot encode) replaced by U+FFFD, so that every store and protocol keeps it. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** The well-formed text cut to `most` characters (code points), with `…` appended if it was longer. */
export function cutText(text: string, most: number): string {
  const whole = wellFormed(text);
  if (whole.length <= most) return whole;
  let end = 0;
  for (let count = 0; count < most && end < whole.length; count++)
    end += (whole.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end < whole.length ? `${whole.slice(0, end)}…` : whole;
}

const few = 5;

/** The first few texts of a list, and the number of the rest. */
export function firstFew(texts: readonly string[]): string[] {
  const rest = texts.length - few;
  return [...texts.slice(0, few), ...(rest > 0 ? [`and ${rest} more`] : [])];
}
