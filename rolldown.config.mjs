import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { buildMetadata } from './bin/package/commit.js';

const require = createRequire(import.meta.url);

/** The documents page serves its two files from here, so that an installed hkctl needs no search for them. */
const copyDocumentsPage = {
  name: 'copy-documents-page',
  writeBundle({ dir }) {
    const from = dirname(require.resolve('swagger-ui-dist/package.json'));
    for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
      cpSync(join(from, file), join(dir, 'docs', file));
  },
};

/** `hkctl examples` and the documents page read programs and pages of the manual from here: Debian's package keeps no `man`. */
const copyManual = {
  name: 'copy-manual',
  writeBundle({ dir }) {
    cpSync('man/examples', join(dir, 'examples'), { recursive: true });
    for (const page of ['hkctl-api.7.md', 'hkctl-gateway.7.md', 'hkctl-resources.7.md']) {
      cpSync(join('man/markdown', page), join(dir, 'markdown', page));
    }
  },
};

/** The page in the browser: its document, and its style sheet behind that of the plots. */
const copyPage = {
  name: 'copy-page',
  writeBundle({ dir }) {
    mkdirSync(dir, { recursive: true });
    cpSync('src/page/index.html', join(dir, 'index.html'));
    const sheets = [require.resolve('uplot/dist/uPlot.min.css'), 'src/page/style.css'];
    const text = sheets.map((sheet) => readFileSync(sheet, 'utf8')).join('\n');
    writeFileSync(join(dir, 'page.css'), text);
  },
};

/** Files whose text is imported, as vitest does it: `import text from './hkctl.service?raw'`. */
const texts = {
  name: 'texts',
  resolveId: (source, importer) =>
    source.endsWith('?raw') ? join(dirname(importer), source) : null,
  load: (id) =>
    id.endsWith('?raw')
      ? `export default ${JSON.stringify(readFileSync(id.slice(0, -'?raw'.length), 'utf8'))}`
      : null,
};

/**
 * Modules that packages load at their start, and that nothing here uses: listhen makes certificates if it is given none, chalk asks
 * node:tty what a terminal shows if it is not told, and commander starts programs as commands.
 */
const unused = [
  ['listhen', 'node-forge'],
  ['chalk', '#supports-color'],
  ['commander', 'node:child_process'],
];
const isUnused = (source, importer = '') =>
  unused.some(([name, module]) => source === module && importer.includes(`/node_modules/${name}/`));
const withoutUnused = {
  name: 'without-unused',
  resolveId: (source, importer) => (isUnused(source, importer) ? '\0unused' : null),
  load: (id) => (id === '\0unused' ? 'export default {};' : null),
};

/** The packages in each file of the build, by their folders: what ships is named with its licence (`bin/package`). */
const notePackages = {
  name: 'note-packages',
  generateBundle(_options, bundle) {
    const packages = {};
    for (const { fileName, moduleIds = [] } of Object.values(bundle)) {
      const folders = moduleIds.map(
        (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0],
      );
      const known = folders
        .filter((folder) => folder !== undefined)
        .map((folder) => relative(import.meta.dirname, folder));
      packages[fileName] = [...new Set(known)].sort();
    }
    this.emitFile({ type: 'asset', fileName: 'packages.json', source: JSON.stringify(packages) });
  },
};

/** The benchmarks are no part of the package; they are built where they are there. */
const benchmarks = existsSync('test/bench')
  ? { bench: 'test/bench/index.ts', attacker: 'test/bench/attacks/attacker.ts' }
  : {};

/** The program imports nothing of the tests, so a chunk with such a module is of the benchmarks alone. */
const isOfBenchmarks = (id) => id.startsWith(join(import.meta.dirname, 'test'));

const threads = {
  writer: 'src/store/sqlite/readings/writer/thread.ts',
  readings: 'src/store/sqlite/readings/reader/thread.ts',
};

/** What these modules load at their start, as far as rolldown has read it. */
const loaded = {
  byReader: { files: [threads.readings], ids: new Set() },
  byWriter: { files: [threads.writer], ids: new Set() },
  byProgram: { files: ['src/main.ts'], ids: new Set() },
  byCommands: { files: ['src/store/open.ts', 'src/cli/commands/keys.ts'], ids: new Set() },
};
const { byReader, byWriter, byProgram, byCommands } = loaded;
const findLoaded = {
  name: 'find-loaded',
  buildEnd() {
    for (const { files, ids } of Object.values(loaded)) {
      const add = (id) => {
        if (ids.has(id)) return;
        ids.add(id);
        this.getModuleInfo(id)?.importedIds.forEach(add);
      };
      for (const file of files) add(join(import.meta.dirname, file));
    }
    // Where the module of a thread is loaded, it runs.
    for (const { files, ids } of [byReader, byWriter])
      ids.delete(join(import.meta.dirname, ...files));
  },
};

/** The chunks of a short command, which would else find and read sixty. Each module goes to the first that it fits. */
const isOfThread = (id) => byReader.ids.has(id) || byWriter.ids.has(id);
const chunks = [
  { name: 'base', test: (id) => isOfThread(id) && byProgram.ids.has(id) },
  { name: 'reader', test: (id) => byReader.ids.has(id) },
  { name: 'writer', test: (id) => byWriter.ids.has(id) },
  { name: 'program', test: (id) => byProgram.ids.has(id) },
  { name: 'commands', test: (id) => byCommands.ids.has(id) },
];

/**
 * CommonJS in chunks: the loader of ES modules alone costs a third of what `hkctl keys list` may take.
 * The native driver stays outside; everything reached by `import()` is a chunk of its own.
 */
const program = {
  input: {
    ...benchmarks,
    hkctl: 'src/main.ts',
    ...threads,
    start: 'src/start.ts',
  },
  platform: 'node',
  // Where a module is both lazy and not, it simply is not; that is no mistake.
  checks: { ineffectiveDynamicImport: false },
  external: [/\.node$/, 'untun', 'clipboardy', /^@parcel/],
  transform: {
    define: { 'import.meta': '{}', BUILD_METADATA: JSON.stringify(buildMetadata()) },
  },
  output: {
    dir: 'dist',
    format: 'cjs',
    codeSplitting: { groups: chunks },
    minify: { mangle: false, compress: true, codegen: true },
    sourcemap: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ moduleIds }) =>
      `${moduleIds.some(isOfBenchmarks) ? 'bench' : 'chunk'}-[name]-[hash].cjs`,
    cleanDir: true,
  },
  plugins: [texts, withoutUnused, findLoaded, notePackages, copyDocumentsPage, copyManual],
};

/** The page runs in browsers: one module, which loads nothing else. */
const page = {
  input: { page: 'src/page/main.ts' },
  platform: 'browser',
  output: { dir: 'dist/page', format: 'esm', minify: true, entryFileNames: '[name].js' },
  plugins: [copyPage],
};

export default [program, page];
