import stringWidth from 'fast-string-width';
import { colourless, visibleText } from './terminal-text.ts';

/** Width of a text as a terminal will show it: wide characters count twice, colours not at all. */
export function widthOf(text: string): number {
  return stringWidth(colourless(text));
}

/** Breaks words joined by blanks into lines no wider than `width`; a longer word is broken where it must be. */
export function wrapWords(words: readonly string[], width: number, gap = ' '): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.flatMap((given) => pieces(visibleText(given), width))) {
    if (line === '') line = word;
    else if (widthOf(line) + gap.length + widthOf(word) <= width) line += gap + word;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** The same for a sentence. */
export function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(' '), width);
}

/** Cuts a text to a width, with `…` where something is lost. Not for texts with colours. */
export function truncated(text: string, width: number): string {
  const visible = visibleText(text);
  if (widthOf(visible) <= width) return visible;
  let kept = '';
  for (const char of visible) {
    if (widthOf(kept + char) > width - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

/** Fills a text up with blanks to a width. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function pieces(word: string, width: number): string[] {
  // A text with colours is short by construction; breaking it would break its escapes.
  if (widthOf(word) <= width || word.includes('\u001b')) return [word];
  const parts: string[] = [];
  let part = '';
  for (const char of word) {
    if (widthOf(part + char) > width) {
      parts.push(part);
      part = '';
    }
    part += char;
  }
  return [...parts, part];
}
