import type { Output } from './io.ts';
import { terminalLine } from './terminal-text.ts';
import { widthOf } from './wrap.ts';

/** Where a screen draws its lines. */
export interface Canvas {
  show(): void;
  /** Draws lines in place of those that are shown. */
  draw(lines: readonly string[]): void;
  /** Erases what is drawn. */
  hide(): void;
}

/**
 * Switches to the alternate screen, hides the cursor and turns wrapping off. Clears the whole screen only here: a terminal
 * without an alternate screen (GNU Screen, tmux with `alternate-screen off`) then moves its content to the scrollback.
 */
const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J';
const leave = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const top = '\u001b[H';
const eraseRow = '\u001b[2K';
const down = '\u001b[B';

/**
 * The alternate screen. Our own, since secrets are drawn on it: its lines must leave no trace in the scrollback, whatever the
 * terminal.
 */
export function alternateScreen(output: Output): Canvas {
  let rowsDrawn = 0;
  return {
    show: () => output.write(enter),
    draw(lines) {
      // Addresses each row and leaves the cursor at the top: a terminal that shrinks then scrolls nothing away.
      const rows = Math.max(lines.length, output.rows() ?? 24);
      const texts = Array.from({ length: rows }, (_, i) => terminalLine(lines[i] ?? ''));
      output.write(texts.map((text, i) => `\u001b[${i + 1};1H${eraseRow}${text}`).join('') + top);
      rowsDrawn = Math.max(rowsDrawn, rows);
    },
    hide() {
      // Row by row: without an alternate screen, clearing everything at once would move it to the scrollback.
      const rows = Math.max(rowsDrawn, output.rows() ?? 0);
      output.write(top + `${eraseRow}${down}`.repeat(rows) + eraseRow + top + leave);
      rowsDrawn = 0;
    },
  };
}

/** The rows below what was written so far, for a question that leaves only its answer behind. */
export function belowText(output: Output): Canvas {
  let drawn: readonly string[] = [];
  const erased = () => {
    const columns = output.columns() ?? 80;
    // A terminal that was made narrower has broken the lines.
    const rows = drawn.map((line) => Math.max(1, Math.ceil(widthOf(line) / columns)));
    const above = rows.reduce((sum, more) => sum + more, -1);
    drawn = [];
    return `${above > 0 ? `\u001b[${above}A` : ''}\u001b[G\u001b[J`;
  };
  return {
    show() {},
    draw(lines) {
      output.write(erased() + lines.map(terminalLine).join('\n'));
      drawn = lines;
    },
    hide: () => output.write(erased()),
  };
}
