import type { ServerResponse } from 'node:http';

/** The name of a property of the response, which is as fast to read as any other. */
const unsent = Symbol('unsent');
interface Tagged {
  [unsent]?: number;
}

/** Notes how many bytes of an answer its connection has not been given yet. */
export function noteUnsent(response: ServerResponse, bytes: number): void {
  (response as Tagged)[unsent] = bytes;
}

/** The bytes of its present answer that a connection has not been given yet. */
export function unsentOf(response: unknown): number {
  return (response as Tagged | null | undefined)?.[unsent] ?? 0; // the property may be missing from any object
}
