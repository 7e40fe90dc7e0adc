import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(__dirname, '..');
const src = join(root, 'src');

/** Which layers a layer may import, and which packages; the rule that src/README.md draws. */
const rules: Record<string, { layers: string[]; packages: RegExp }> = {
  core: { layers: ['core'], packages: /^node:(crypto|zlib)$/ },
  resources: { layers: ['resources', 'core'], packages: /^$/ },
  imports: { layers: ['imports', 'core'], packages: /^node:/ },
  store: { layers: ['store', 'core', 'resources'], packages: /^(node:|drizzle-orm|better-sqlite3)/ },
  http: { layers: ['http', 'core'], packages: /^(node:|h3|listhen|pino|rate-limiter-flexible|prom-client)/ },
  cli: {
    layers: ['cli', 'core'],
    packages: /^(node:|commander|@inquirer\/|chalk|clipboardy|fast-string-width)/,
  },
};

interface Import {
  file: string;
  layer: string;
  target: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const layer = relative(src, file).split('/')[0] ?? '';
  // Statements begin a line; anything else would find the words in texts and comments.
  const found = text.matchAll(
    /(?:^(?:import|export)\b[^;'"]*?from\s+|^import\s+|\b(?:import|require)\(\s*)'([^'\n]+)'/gm,
  );
  return [...found].map((match) => ({ file: relative(root, file), layer, target: match[1] ?? '' }));
}

const imports = sourceFiles(src).flatMap(importsOf);

function layerOf({ file, target }: Import): string | undefined {
  if (!target.startsWith('.')) return undefined;
  return relative(src, join(root, dirname(file), target)).split('/')[0];
}

describe('the import rule', () => {
  it('sees the sources', () => {
    expect(imports.length).toBeGreaterThan(100);
    expect(new Set(imports.map(({ layer }) => layer))).toEqual(
      expect.objectContaining(new Set([...Object.keys(rules), 'main.ts'])),
    );
  });

  for (const [layer, rule] of Object.entries(rules)) {
    it(`${layer} imports ${rule.layers.join(', ')} and its packages only`, () => {
      const wrong = imports
        .filter((found) => found.layer === layer)
        .filter((found) => {
          const target = layerOf(found);
          return target === undefined ? !rule.packages.test(found.target) : !rule.layers.includes(target);
        })
        .map(({ file, target }) => `${file} → ${target}`);
      expect(wrong).toEqual([]);
    });
  }

  it('lets nobody import the composition root', () => {
    expect(imports.filter((found) => layerOf(found) === 'main.ts').map(({ file }) => file)).toEqual([]);
  });

  it('lets only the configuration read the environment', () => {
    const readers = sourceFiles(src)
      .filter((file) => /process\.env\b/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(src, file));
    expect(readers).toEqual(['config.ts', 'main.ts', 'start.ts'].filter((file) => readers.includes(file)));
  });
});
