import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A file of the sources, by its path below `src`, and what it imports: paths below `src`, or names of packages. */
export interface Module {
  file: string;
  imports: readonly string[];
}

interface Layer {
  layers: readonly string[];
  packages: RegExp;
}

/** The table of src/README.md: which layers and which packages a layer may import. The composition root knows everything. */
export const layers: Readonly<Record<string, Layer>> = {
  core: { layers: ['core'], packages: /^(node:(crypto|net|zlib)|ipaddr\.js)$/ },
  resources: { layers: ['resources', 'core'], packages: /^$/ },
  demo: { layers: ['demo', 'resources', 'core'], packages: /^$/ },
  formats: { layers: ['formats', 'core'], packages: /^node:\w+/ },
  store: {
    layers: ['store', 'core'],
    packages: /^(node:\w+|better-sqlite3(-12)?$|pg$|drizzle-orm\/[\w/-]+$)/,
  },
  // The colours of a terminal, for the command line, the log of the daemon and `npm start`.
  colours: { layers: [], packages: /^chalk$/ },
  http: {
    layers: ['http', 'colours', 'core'],
    packages: /^(node:\w+|h3(\/node)?$|listhen$|lru-cache$|negotiator$|prom-client$)/,
  },
  cli: {
    layers: ['cli', 'colours', 'core'],
    packages: /^(node:\w+|commander$|@inquirer\/prompts$|clipboardy$|fast-string-width$)/,
  },
  // It runs in browsers, and knows the daemon by its API only.
  page: { layers: ['page'], packages: /^uplot$/ },
  // The rights that the process has of the operating system, for the two files that start the program.
  rights: { layers: ['rights', 'core'], packages: /^node:\w+/ },
  'config.ts': { layers: ['rights'], packages: /^node:\w+/ },
  'start.ts': {
    layers: ['main.ts', 'config.ts', 'colours', 'demo', 'rights', 'core'],
    packages: /^node:\w+/,
  },
};

/** What single folders may import in addition: the one place in the core that opens files, and asks ls(1) about them. */
export const folderPackages: Readonly<Record<string, RegExp>> = {
  'core/files': /^node:(fs|path|stream|child_process)$/,
};

/** Words, fields and the writing of CSV, which a layer shares with another one, though it imports nothing else of it. */
const sharedTexts: Readonly<Record<string, readonly string[]>> = {
  page: ['core/keys/refusals.ts', 'core/readings/last-state.ts', 'core/text/spreadsheets.ts'],
};

/** The composition root, which may import everything and which only `npm start` may import. */
export const compositionRoot = 'main.ts';

/** The first part of a path below `src`: a folder, or a file that stands by itself. */
export function layerOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** Every import that the table does not allow, as `file → target`; a file of no known layer is one by itself. */
export function forbiddenImports(modules: readonly Module[]): string[] {
  const files = new Set(modules.map(({ file }) => file));
  return modules.flatMap(({ file, imports }) => {
    const layer = layerOf(file);
    const rule = layers[layer];
    if (rule === undefined) return layer === compositionRoot ? [] : [`${file} is of no layer`];
    const isAllowed = (target: string) =>
      isOwn(target, files)
        ? rule.layers.includes(layerOf(target)) || sharedTexts[layer]?.includes(target) === true
        : rule.packages.test(target) || folderPackages[dirname(file)]?.test(target) === true;
    return imports.filter((target) => !isAllowed(target)).map((target) => `${file} → ${target}`);
  });
}

/** The files that import the composition root. */
export function importersOfRoot(modules: readonly Module[]): string[] {
  return modules.filter(({ imports }) => imports.includes(compositionRoot)).map(({ file }) => file);
}

/** The groups of files that import each other in a circle (strongly connected components, by Tarjan), each sorted. */
export function circlesOf(modules: readonly Module[]): string[][] {
  const graph = new Map(modules.map(({ file, imports }) => [file, imports]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const place = order.size;
    order.set(file, place);
    lowest.set(file, place);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!graph.has(target)) continue;
      const reached = order.has(target)
        ? stack.includes(target)
          ? (order.get(target) ?? place)
          : place
        : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? place, reached));
    }
    if (lowest.get(file) === place) {
      const members = stack.splice(stack.indexOf(file));
      if (members.length > 1 || graph.get(file)?.includes(file)) circles.push(members.sort());
    }
    return lowest.get(file) ?? place;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/** The pairs of folders of which each imports a file of the other, as `a ↔ b`; a folder's files directly in `src` are `.`. */
export function mutualFolders(modules: readonly Module[]): string[] {
  const files = new Set(modules.map(({ file }) => file));
  const edges = new Set(
    modules.flatMap(({ file, imports }) =>
      imports
        .filter((target) => files.has(target))
        .map((target) => `${dirname(file)} ${dirname(target)}`),
    ),
  );
  return [...edges]
    .map((edge) => edge.split(' '))
    .filter(([from = '', to = '']) => from < to && edges.has(`${to} ${from}`))
    .map(([from, to]) => `${from} ↔ ${to}`)
    .sort();
}

/** Whether a text reads the clock of the machine: the one that commands receive in `Io`, in any of the ways to write it, or Node's. */
export function readsMachineClock(text: string): boolean {
  return /\bio\b\)?\s*(\?\.|\.)\s*clock\b|\bio:\s*\{[^{}]*\bclock\b|\{[^{}]*\bclock\b[^{}]*\}\s*=\s*(\w+\.)?io\b|Pick<Io,[^>]*'clock'|\bDate\.now\b|\bnew Date\(\)/.test(
    text,
  );
}

/** Whether a text reads the environment of the process, in any of the ways to write it. */
export function readsEnvironment(text: string): boolean {
  return /\bprocess\s*(\?\.|\.)\s*env\b|\bprocess\s*(\?\.)?\[\s*['"`]env['"`]|\benv\b[^={}]*\}\s*=\s*process\b|\benv\b[^{}]*\}\s*from\s+'(node:)?process'/.test(
    text,
  );
}

/** All modules of a folder. The compiler itself finds the imports: also dynamic ones, types, and those over many lines. */
export function modulesOf(folder: string): Module[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, imports: importsOf(file, readFileSync(join(folder, file), 'utf8')) }));
}

/** What the text of a file imports, relative paths as seen from the folder of all sources. */
export function importsOf(file: string, text: string): string[] {
  const builtins = [...text.matchAll(/getBuiltinModule\(\s*'([^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  const named = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return [...named, ...builtins].map((target) =>
    target.startsWith('.') ? join(dirname(file), target) : target,
  );
}

function isOwn(target: string, files: ReadonlySet<string>): boolean {
  return files.has(target) || /\.(ts|json)$|\?raw$/.test(target) || target.startsWith('..');
}
