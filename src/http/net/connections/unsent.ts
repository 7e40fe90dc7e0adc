import type { ServerResponse } from 'node:http';

/** A property of the response, as fast as any other. */
const unsent = Symbol('unsent');
interface Tagged {
  [unsent]?: number;
}

/** Notes how many bytes of an answer its connection has not been given yet. */
export function noteUnsent(response: ServerResponse, bytes: number): void {
  (response as Tagged)[unsent] = bytes;
}

/** The bytes that a connection will be given of its present answer. */
export function unsentOf(response: unknown): number {
  return (response as Tagged | null | undefined)?.[unsent] ?? 0; // any object may lack it
}
