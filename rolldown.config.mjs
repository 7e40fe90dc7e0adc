import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The documents page serves its two files from here, so that an installed hkctl needs no search for them. */
const copyDocumentsPage = {
  name: 'copy-documents-page',
  writeBundle({ dir }) {
    const from = dirname(require.resolve('swagger-ui-dist/package.json'));
    for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css']) cpSync(join(from, file), join(dir, 'docs', file));
  },
};

/** Leaves V8's code cache beside the commands; they work without it, only more slowly. */
const writeCodeCache = {
  name: 'write-code-cache',
  closeBundle() {
    const { status } = spawnSync(process.execPath, ['bin/load.js'], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error('the code cache could not be written');
  },
};

/**
 * drizzle's adapter imports a driver for those who open a database by its path. Ours are opened by `driver.ts`, which picks
 * the one that fits this Node; loading another beside it would only cost time.
 */
const noSecondDriver = {
  name: 'no-second-driver',
  resolveId: (source, importer) =>
    source === 'better-sqlite3' && importer?.includes('drizzle-orm') ? 'no-second-driver' : null,
  load: (id) => (id === 'no-second-driver' ? 'export default undefined' : null),
};

/**
 * CommonJS in chunks: the loader of ES modules alone costs a third of what `hkctl keys list` may take.
 * The native driver stays outside; everything reached by `import()` is a chunk of its own.
 */
export default {
  input: {
    hkctl: 'src/main.ts',
    writer: 'src/store/sqlite/writer/thread.ts',
    start: 'src/start.ts',
  },
  platform: 'node',
  external: [/\.node$/, 'clipboardy', 'pino', /^@parcel/],
  transform: { define: { 'import.meta': '{}' } },
  output: {
    dir: 'dist',
    format: 'cjs',
    minify: { mangle: false, compress: true, codegen: true },
    sourcemap: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunk-[name]-[hash].cjs',
    cleanDir: true,
  },
  plugins: [noSecondDriver, copyDocumentsPage, writeCodeCache],
};
