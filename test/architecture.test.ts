import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  circlesOf,
  forbiddenImports,
  importersOfRoot,
  importsOf,
  layerOf,
  layers,
  type Module,
  modulesOf,
  mutualFolders,
  readsEnvironment,
  readsMachineClock,
} from './architecture.ts';

const src = join(__dirname, '..', 'src');
const modules = modulesOf(src);

/** Each with its reason: what is not the clock by which keys expire may be the machine's. */
const clockReaders = [
  'cli/command/printer.ts', // times of messages in the journal
  'cli/command/store-access.ts', // makes the clock of the store
  'cli/commands/backup/backup.ts', // names of files must differ
  'cli/commands/doctor.ts', // compares the clocks
  'cli/commands/keys/scan/scan.ts', // also works without a store
  'cli/commands/status.ts', // compares the clocks
  'cli/run.ts', // times of messages in the daemon's log
  'http/monitoring/log-forms.ts', // times of log lines
  'main.ts', // passes it on
  'start.ts', // the instant of its first reading
  'store/postgres/inspection.ts', // compares it with the database's
];

describe('the sources', () => {
  it('are seen, every layer of them', () => {
    const found = [...new Set(modules.map(({ file }) => layerOf(file)))].sort();
    expect(found).toEqual([...Object.keys(layers), 'main.ts'].sort());
    for (const layer of ['core', 'store', 'http', 'cli']) {
      const imports = modules
        .filter(({ file }) => layerOf(file) === layer)
        .flatMap((module) => module.imports);
      expect(imports.length, layer).toBeGreaterThan(50);
    }
  });

  it('import only what their layer may', () => {
    expect(forbiddenImports(modules)).toEqual([]);
  });

  it('do not import the composition root, except npm start', () => {
    expect(importersOfRoot(modules)).toEqual(['start.ts']);
  });

  it('read the environment in the configuration only, and in the files that start the program', () => {
    const readers = modules
      .map(({ file }) => file)
      .filter((file) => readsEnvironment(readFileSync(join(src, file), 'utf8')));
    expect(readers).toContain('config.ts');
    expect(readers.filter((file) => !['config.ts', 'main.ts', 'start.ts'].includes(file))).toEqual(
      [],
    );
  });

  it('ask the clock of the machine only where the clock of the store is made of it, or no store is needed', () => {
    const readers = modules
      .map(({ file }) => file)
      .filter((file) => readsMachineClock(readFileSync(join(src, file), 'utf8')));
    expect(readers.sort()).toEqual(clockReaders);
  });

  it('import each other in no circle', () => {
    expect(circlesOf(modules)).toEqual([]);
  });

  it('have no two folders that import each other', () => {
    expect(mutualFolders(modules)).toEqual([]);
  });

  it('of the store form folders that import each other in no circle: engines share only what is below them', () => {
    const folderOf = (file: string) => /^store\/[^/]+(?=\/)/.exec(file)?.[0];
    const folders = new Map<string, Set<string>>();
    for (const { file, imports } of modules) {
      const folder = folderOf(file);
      if (folder === undefined) continue;
      const targets = imports
        .map(folderOf)
        .filter((target) => target !== undefined && target !== folder);
      folders.set(folder, new Set([...(folders.get(folder) ?? []), ...targets.map(String)]));
    }
    expect([...(folders.get('store/postgres') ?? [])]).toContain('store/backup-file');
    expect(
      circlesOf([...folders].map(([file, imports]) => ({ file, imports: [...imports] }))),
    ).toEqual([]);
    expect([...(folders.get('store/postgres') ?? [])]).not.toContain('store/sqlite');
  });
});

describe('the check of the sources', () => {
  const graph = (edges: Record<string, string[]>): Module[] =>
    Object.entries(edges).map(([file, imports]) => ({ file, imports }));

  it('finds what a layer may not import, and a file of no layer', () => {
    const refused = [
      ['core/keys.ts', 'node:fs'],
      ['core/keys.ts', 'store/open.ts'],
      ['http/app.ts', 'cli/run.ts'],
      ['store/open.ts', 'drizzle-orm'],
      ['cli/run.ts', '../package.json'],
    ] as const;
    for (const [file, target] of refused)
      expect(
        forbiddenImports(graph({ 'store/open.ts': [], 'cli/run.ts': [], [file]: [target] })),
      ).toEqual([`${file} → ${target}`]);
    expect(forbiddenImports(graph({ 'utils/texts.ts': [] }))).toEqual([
      'utils/texts.ts is of no layer',
    ]);
  });

  it('finds circles of any length, and none where there is none', () => {
    expect(circlesOf(graph({ a: ['b', 'c'], b: ['c', 'node:fs'], c: [] }))).toEqual([]);
    expect(circlesOf(graph({ a: ['a'] }))).toEqual([['a']]);
    expect(circlesOf(graph({ a: ['b'], b: ['a'] }))).toEqual([['a', 'b']]);
    expect(circlesOf(graph({ a: ['b'], b: ['c'], c: ['d', 'b'], d: ['a'], e: ['a'] }))).toEqual([
      ['a', 'b', 'c', 'd'],
    ]);
    const two = circlesOf(graph({ a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] }));
    expect(two.map(String).sort()).toEqual(['a,b', 'c,d']);
  });

  it('finds folders that import each other, over different files too', () => {
    expect(
      mutualFolders(graph({ 'a/x.ts': ['b/x.ts', 'a/y.ts'], 'a/y.ts': [], 'b/x.ts': ['node:fs'] })),
    ).toEqual([]);
    expect(
      mutualFolders(
        graph({
          'a/x.ts': ['b/x.ts'],
          'a/y.ts': [],
          'b/x.ts': [],
          'b/y.ts': ['a/y.ts'],
          'c.ts': ['a/x.ts'],
        }),
      ),
    ).toEqual(['a ↔ b']);
    expect(
      mutualFolders(graph({ 'a/x.ts': ['a/b/x.ts'], 'a/y.ts': [], 'a/b/x.ts': ['a/y.ts'] })),
    ).toEqual(['a ↔ a/b']);
  });

  it.each(['const now = io.clock();', 'const { clock, uptime } = context.io;', 'clock: Date.now,'])(
    'sees the clock of the machine read by %s, and not that of the store',
    (text) => {
      expect([
        readsMachineClock(text),
        readsMachineClock('const { store, clock } = domain;'),
      ]).toEqual([true, false]);
    },
  );

  it('sees every way to import', () => {
    const text = [
      `import { a,\n  b } from './a.ts';`,
      `import './b.ts';`,
      `import type { C } from '../core/c.ts';`,
      `export * from "./d.ts";`,
      `const e = await import('./e.ts');`,
      `type F = import('./f.ts').F;`,
      `const g = process.getBuiltinModule('node:fs');`,
      `// import { x } from './comment.ts';`,
      `const text = "import { x } from './text.ts'";`,
    ].join('\n');
    expect(importsOf('cli/run.ts', text).sort()).toEqual(
      ['cli/a.ts', 'cli/b.ts', 'core/c.ts', 'cli/d.ts', 'cli/e.ts', 'cli/f.ts', 'node:fs'].sort(),
    );
  });

  it.each(['const { HOME } = process.env;', 'const { env: all } = process;'])(
    'sees the environment read by %s, and not that of another object',
    (text) => {
      expect([readsEnvironment(text), readsEnvironment('const { env } = environment;')]).toEqual([
        true,
        false,
      ]);
    },
  );
});
