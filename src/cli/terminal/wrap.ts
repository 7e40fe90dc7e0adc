import stringWidth from 'fast-string-width';
import { colourless, visibleText } from './style.ts';

/** Width of a text in terminal columns: wide characters count twice, colours not at all. */
export function widthOf(text: string): number {
  return stringWidth(colourless(text));
}

/** Joins words by `gap` into lines no wider than `width`; breaks a longer word. */
export function wrapWords(words: readonly string[], width: number, gap = ' '): string[] {
  const visibleWords = words.flatMap((word) => breakWord(visibleText(word), width));
  const firstIndex = visibleWords.findIndex((word) => word !== '');
  if (firstIndex === -1) return [];

  return joinWords(visibleWords.slice(firstIndex), width, gap);
}

export function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(' '), width);
}

/** Wraps a line at its blanks and leaves longer words whole, so that a path or a command can still be copied. */
export function wrapWhole(text: string, width: number): string[] {
  return joinWords(text.split(' '), width, ' ');
}

function joinWords(words: readonly string[], width: number, gap: string): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const lastLine = lines.at(-1);
    if (lastLine === undefined) {
      lines.push(word);
      continue;
    }

    const joinedWidth = widthOf(lastLine) + gap.length + widthOf(word);
    if (joinedWidth > width) lines.push(word);
    else lines[lines.length - 1] = lastLine + gap + word;
  }
  return lines;
}

/**
 * A label with its blanks and a value, wrapped at the blanks if the terminal is too narrow. Further lines are below the
 * value, or nearly below the label if that leaves too little width.
 */
export function wrapLabelled(label: string, value: string, columns: number | undefined): string[] {
  if (columns === undefined) return [label + value];

  const labelWidth = widthOf(label);
  const isBehind = labelWidth <= columns / 2;
  const indent = ' '.repeat(isBehind ? labelWidth : 2);
  const [firstLine = '', ...remainingLines] = isBehind
    ? wrapWhole(visibleText(value), columns - labelWidth)
    : wrapWhole(visibleText(label + value), columns);
  const shownFirstLine = isBehind ? label + firstLine : firstLine;
  if (remainingLines.length === 0) return [shownFirstLine];

  const moreLines = wrapWhole(remainingLines.join(' '), columns - indent.length);
  const indentedLines = moreLines.map((line) => indent + line.trimStart());
  return [shownFirstLine, ...indentedLines];
}

/** Values below each other behind their labels; see {@link wrapLabelled}. */
export function wrapFacts(
  facts: readonly (readonly [string, string])[],
  columns: number | undefined,
): string[] {
  const labelWidths = facts.map(([label]) => label.length);
  const columnWidth = Math.max(...labelWidths) + 2;
  return facts.flatMap(([label, value]) => wrapLabelled(label.padEnd(columnWidth), value, columns));
}

/** Cuts a text to a width and ends it with `…` if something is lost. Not for text with colours. */
export function truncated(text: string, width: number): string {
  const shownText = visibleText(text);
  if (widthOf(shownText) <= width) return shownText;

  return `${fittingStart(shownText, width - 1)}…`;
}

/** As many characters from the beginning of a text as fit into a width. */
function fittingStart(text: string, width: number): string {
  let fittingText = '';
  for (const character of text) {
    if (widthOf(fittingText + character) > width) break;
    fittingText += character;
  }
  return fittingText;
}

/** {@link truncated} for a name: a number at its end, by which names mostly differ, stays. */
export function shortened(name: string, width: number): string {
  const trailingNumber = /\d{1,6}\D?$/.exec(name)?.[0] ?? '';
  const numberWidth = widthOf(trailingNumber);
  const keepsNumber = trailingNumber !== '' && numberWidth * 2 <= width;
  if (!keepsNumber || widthOf(name) <= width) return truncated(name, width);

  const nameStart = visibleText(name.slice(0, -trailingNumber.length));
  const shortenedStart = truncated(`${nameStart}…`, width - numberWidth);
  return shortenedStart + trailingNumber;
}

export function padded(text: string, width: number): string {
  const missingColumns = Math.max(0, width - widthOf(text));
  return text + ' '.repeat(missingColumns);
}

function breakWord(word: string, width: number): string[] {
  // Text with colours is short by construction; breaking it would break its escape sequences.
  if (widthOf(word) <= width || word.includes('\u001b')) return [word];

  const pieces: string[] = [];
  for (let remaining = word; remaining !== ''; ) {
    const piece = fittingStart(remaining, width) || firstCharacter(remaining);
    pieces.push(piece);
    remaining = remaining.slice(piece.length);
  }
  return pieces;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}
