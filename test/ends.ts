type End = () => unknown;

/** What is to be done after the file of tests that is under way. */
const ends: End[] = [];

/**
 * Does something once the file of tests that is under way has ended. A hook of Vitest in a module that several files share
 * would run after the first of them only, since the module is loaded once for all.
 */
export function atEndOfFile(end: End): void {
  ends.push(end);
}

/** Does what was asked for, the latest first; test/setup.ts calls it after each file. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
