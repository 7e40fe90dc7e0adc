import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../answers/answer.ts';
import type { Exchange } from '../request/exchange.ts';
import { createPageFiles } from '../request/page-files.ts';

/** The page makes no markup from texts: browsers with Trusted Types refuse any that would. */
const pagePolicy = "img-src 'self' data:; require-trusted-types-for 'script'; trusted-types 'none'";

/** The files of the page for people by their paths; its document names them by relative paths. */
const pageFiles = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page/page.js': { file: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page/page.css': { file: 'page.css', type: 'text/css; charset=utf-8' },
} as const;

/** The folder of the built page. */
export interface PageFolder {
  pageFolder: string;
}

/** The page for people (promise 9.1): each of its paths with the handler that serves it. */
export function createPage({ pageFolder }: PageFolder) {
  const serveFile = createPageFiles(pagePolicy);

  return Object.entries(pageFiles).map(([path, { file, type }]) => ({
    path,
    handler: (exchange: Exchange): Promise<Answer> =>
      serveFile(exchange, file, type, () => readFileSync(join(pageFolder, file), 'utf8')),
  }));
}
