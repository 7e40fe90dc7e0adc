/**
 * A text that every store and every protocol keeps as it is: half a character (a lone surrogate of UTF-16, which UTF-8 does
 * not know) becomes U+FFFD here, and not in some of the places that the text comes to.
 */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** A well-formed text of at most `most` characters (code points), with `…` behind it where there were more. */
export function cutText(text: string, most: number): string {
  const whole = wellFormed(text);
  if (whole.length <= most) return whole;
  let end = 0;
  for (let count = 0; count < most && end < whole.length; count++)
    end += (whole.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end < whole.length ? `${whole.slice(0, end)}…` : whole;
}
