import type { Keypress } from '../keypress.ts';

/** A question while it is asked: what it shows, and what a pressed key does to it. */
export interface Question<T> {
  /** The lines for a width, at most `rows` of them. */
  lines(columns: number, rows: number): string[];
  /** Handles a key; returns the answer and how to show it afterwards, once there is one. */
  press(key: Keypress): { value: T; echo: string } | undefined;
}

/** Whether a key submits an answer. */
export function isEnter({ name }: Keypress): boolean {
  return name === 'return' || name === 'enter';
}
