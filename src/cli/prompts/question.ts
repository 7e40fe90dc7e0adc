import type { Keypress } from '../terminal/keypress.ts';
import { truncated, wrapText } from '../terminal/wrap.ts';

/** A question while it is asked: what it shows, and what a pressed key does to it. */
export interface Question<T> {
  /** The lines for a width, at most `rows` of them. */
  lines(columns: number, rows: number): string[];
  /** Handles a key; returns the answer and how to show it afterwards, once there is one. */
  press(key: Keypress): { value: T; echo: string } | undefined;
}

/** The lines of a message that fit above at least three rows of choices and the foot; a cut one ends with `…`. */
export function fittingMessage(message: string, columns: number, rows: number, footRows: number): string[] {
  const lines = wrapText(`? ${message}`, columns);
  const most = Math.max(1, rows - 3 - footRows);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), truncated(lines.slice(most - 1).join(' '), columns)];
}

export function isEnter({ name }: Keypress): boolean {
  return name === 'return' || name === 'enter';
}
