import { afterAll, afterEach } from 'vitest';
import type { openDocs } from './browser.ts';

/** The API documents in a browser, with what it requested and reported. */
export type Documents = Awaited<ReturnType<typeof openDocs>>;

/**
 * Gives all tests of a block one page, since to load it takes seconds of a processor. After a test that fails it is loaded anew.
 */
export function sharedPage(open: () => Promise<Documents>): () => Promise<Documents> {
  let shared: Promise<Documents> | undefined;
  const close = async () => {
    const closed = shared;
    shared = undefined;
    await (await closed)?.page.close();
  };
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await close();
  });
  afterAll(close);
  return () => {
    shared ??= open();
    return shared;
  };
}
