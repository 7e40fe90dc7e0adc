import stringWidth from 'fast-string-width';
import { colourless, visibleText } from './style.ts';

/** Width of a text in terminal columns: wide characters count twice, colours not at all. */
export function widthOf(text: string): number {
  return stringWidth(colourless(text));
}

/** Joins words by `gap` into lines no wider than `width`; breaks a longer word. */
export function wrapWords(words: readonly string[], width: number, gap = ' '): string[] {
  const visible = words.flatMap((word) => pieces(visibleText(word), width));
  const first = visible.findIndex((word) => word !== '');
  return first === -1 ? [] : joined(visible.slice(first), width, gap);
}

export function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(' '), width);
}

/** Wraps a line at its blanks and leaves longer words whole, so that a path or a command can still be copied. */
export function wrapWhole(text: string, width: number): string[] {
  return joined(text.split(' '), width, ' ');
}

function joined(words: readonly string[], width: number, gap: string): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || widthOf(line) + gap.length + widthOf(word) > width) lines.push(word);
    else lines[lines.length - 1] = line + gap + word;
  }
  return lines;
}

/**
 * A label with its blanks and a value, wrapped at the blanks if the terminal is too narrow. Further lines are below the
 * value, or nearly below the label if that leaves too little width.
 */
export function wrapLabelled(label: string, value: string, columns: number | undefined): string[] {
  if (columns === undefined) return [label + value];
  const width = widthOf(label);
  const isBehind = width <= columns / 2;
  const [first = '', ...more] = wrapWhole(
    visibleText(isBehind ? value : label + value),
    isBehind ? columns - width : columns,
  );
  const indent = ' '.repeat(isBehind ? width : 2);
  const moreLines = more.length === 0 ? [] : wrapWhole(more.join(' '), columns - indent.length);
  return [isBehind ? label + first : first, ...moreLines.map((line) => indent + line.trimStart())];
}

/** Values below each other behind their labels; see {@link wrapLabelled}. */
export function wrapFacts(
  facts: readonly (readonly [string, string])[],
  columns: number | undefined,
): string[] {
  const width = Math.max(...facts.map(([label]) => label.length)) + 2;
  return facts.flatMap(([label, value]) => wrapLabelled(label.padEnd(width), value, columns));
}

/** Cuts a text to a width and ends it with `…` if something is lost. Not for text with colours. */
export function truncated(text: string, width: number): string {
  const visible = visibleText(text);
  return widthOf(visible) <= width ? visible : `${beginning(visible, width - 1)}…`;
}

/** As many characters from the beginning of a text as fit into a width. */
function beginning(text: string, width: number): string {
  let fittingText = '';
  for (const char of text) {
    if (widthOf(fittingText + char) > width) break;
    fittingText += char;
  }
  return fittingText;
}

/** {@link truncated} for a name: a number at its end, by which names mostly differ, stays. */
export function shortened(name: string, width: number): string {
  const number = /\d{1,6}\D?$/.exec(name)?.[0] ?? '';
  const numberWidth = widthOf(number);
  if (number === '' || numberWidth * 2 > width || widthOf(name) <= width)
    return truncated(name, width);
  const nameStart = visibleText(name.slice(0, -number.length));
  return `${truncated(`${nameStart}…`, width - numberWidth)}${number}`;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function pieces(word: string, width: number): string[] {
  // Text with colours is short by construction; breaking it would break its escape sequences.
  if (widthOf(word) <= width || word.includes('\u001b')) return [word];
  const parts: string[] = [];
  for (let remaining = word; remaining !== ''; ) {
    const part = beginning(remaining, width) || String.fromCodePoint(remaining.codePointAt(0) ?? 0);
    parts.push(part);
    remaining = remaining.slice(part.length);
  }
  return parts;
}
