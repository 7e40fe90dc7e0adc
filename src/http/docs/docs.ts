import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { examplePrograms } from '../../core/operations/examples.ts';
import type { Answer } from '../answers/answer.ts';
import type { Exchange } from '../request/exchange.ts';
import { createPageFiles } from '../request/page-files.ts';
import page from './page.html?raw';
import start from './start.js?raw';
import style from './style.css?raw';
import theme from './theme.js?raw';

/**
 * The documents load nothing from other sites and contain no inline code or style (checked with
 * swagger-ui-dist 5).
 */
const documentsPolicy = "img-src 'self' data:; font-src 'self' data:";

/** The files of the documentation page that are part of the program. */
const programTexts: Readonly<Record<string, string>> = {
  'theme.js': theme,
  'start.js': start,
  'style.css': style,
};
const libraryFiles = ['swagger-ui-bundle.js', 'swagger-ui.css'];
const manualFiles = [
  ...examplePrograms.map(({ name }) => `examples/${name}`),
  ...['hkctl-api.7.md', 'hkctl-gateway.7.md', 'hkctl-resources.7.md'].map(
    (name) => `markdown/${name}`,
  ),
];

/** The files of the page by their names under `/api/v1/docs/`. */
export const documentFiles: readonly string[] = [
  ...libraryFiles,
  ...Object.keys(programTexts),
  ...manualFiles,
];

const typesByExtension: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** The relative path to `/api/v1/` from each path of the page, so that it also works if a proxy serves the API below another one. */
const rootsByPath: Readonly<Record<string, string>> = {
  '/api/v1': './v1/',
  '/api/v1/': './',
  '/api/v1/docs': './',
  '/api/v1/docs/': '../',
};

/** Folder of the files of the page that are not part of the program; they are read on first use. */
export interface DocumentFolders {
  /** The folder with the two files of swagger-ui-dist. */
  docsFolder: string;
  /** The folder with the programs of the manual in `examples`, and its pages in `markdown`. */
  manualFolder: string;
}

export function createDocuments({ docsFolder, manualFolder }: DocumentFolders) {
  const serveFile = createPageFiles(documentsPolicy);
  const folderOf = (name: string) => (libraryFiles.includes(name) ? docsFolder : manualFolder);
  return {
    /** Leads from the root of the server to the page, by a relative path, so that a proxy may put it anywhere. */
    root: (): Answer => ({
      status: 302,
      headers: ['Location', 'api/v1/docs', 'Cache-Control', 'no-store'],
      body: null,
      length: 0,
    }),
    page: (exchange: Exchange) => {
      const rootPath = rootsByPath[exchange.path] ?? './';
      return serveFile(exchange, `page at ${rootPath}`, 'text/html; charset=utf-8', () =>
        page.replaceAll('{root}', rootPath),
      );
    },
    /** Serves one of {@link documentFiles}. */
    file(name: string) {
      const mediaType = typesByExtension[extname(name)] ?? 'text/plain';
      const readText = () => programTexts[name] ?? readFileSync(join(folderOf(name), name), 'utf8');
      return (exchange: Exchange) =>
        serveFile(exchange, name, `${mediaType}; charset=utf-8`, readText);
    },
  };
}
