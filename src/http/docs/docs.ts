import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createKept } from '../../core/kept.ts';
import { examplePrograms } from '../../core/operations/examples.ts';
import type { Answer } from '../answers/answer.ts';
import { type Representation, represent, toRepresentation } from '../request/caching.ts';
import type { Exchange } from '../request/exchange.ts';
import page from './page.html?raw';
import start from './start.js?raw';
import style from './style.css?raw';
import theme from './theme.js?raw';

/** The page loads nothing from other sites and contains no inline code or style (checked with swagger-ui-dist 5). */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  pagePolicy,
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), geolocation=(), microphone=()',
];

/** The files of the documentation page that are part of the program. */
const texts: Readonly<Record<string, string>> = {
  'theme.js': theme,
  'start.js': start,
  'style.css': style,
};
const ofLibrary = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const ofManual = [
  ...examplePrograms.map(({ name }) => `examples/${name}`),
  ...['hkctl-api.7.md', 'hkctl-gateway.7.md', 'hkctl-resources.7.md'].map(
    (name) => `markdown/${name}`,
  ),
];

/** The files of the page by their names under `/api/v1/docs/`. */
export const documentFiles: readonly string[] = [...ofLibrary, ...Object.keys(texts), ...ofManual];

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

/** The relative path to `/api/v1/` from each path of the page, so that it also works if a proxy serves the API below another one. */
const rootFrom: Readonly<Record<string, string>> = {
  '/api/v1': './v1/',
  '/api/v1/': './',
  '/api/v1/docs': './',
  '/api/v1/docs/': '../',
};

/** Where the files of the page are that are not part of the program; they are read on first use. */
export interface DocumentFolders {
  /** The folder with the two files of swagger-ui-dist. */
  docsFolder: string;
  /** The folder with the programs of the manual in `examples`, and its pages in `markdown`. */
  manualFolder: string;
}

export function createDocuments({ docsFolder, manualFolder }: DocumentFolders) {
  const kept = createKept<Representation>();
  const serve = async (
    exchange: Exchange,
    name: string,
    type: string,
    read: () => string,
  ): Promise<Answer> => {
    const found = kept(name, () => {
      const text = read();
      const tag = hash('sha256', text, 'base64url').slice(0, 22);
      return toRepresentation(text, { type, tag, headers: pageHeaders, vary: 'Accept-Encoding' });
    });
    return { ...(await represent(exchange, found, 'public, no-cache')), page: true };
  };
  const folderOf = (name: string) => (ofLibrary.includes(name) ? docsFolder : manualFolder);
  return {
    /** Leads from the root of the server to the page, by a relative path, so that a proxy may put it anywhere. */
    root: (): Answer => ({
      status: 302,
      headers: ['Location', 'api/v1/docs', 'Cache-Control', 'no-store'],
      body: null,
      length: 0,
    }),
    page: (exchange: Exchange) => {
      const root = rootFrom[exchange.path] ?? './';
      return serve(exchange, `page at ${root}`, 'text/html; charset=utf-8', () =>
        page.replaceAll('{root}', root),
      );
    },
    /** Serves one of {@link documentFiles}. */
    file: (name: string) => (exchange: Exchange) =>
      serve(exchange, name, `${types[extname(name)] ?? 'text/plain'}; charset=utf-8`, () => {
        return texts[name] ?? readFileSync(join(folderOf(name), name), 'utf8');
      }),
  };
}
