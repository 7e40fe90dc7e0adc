import { readdirSync, readFileSync } from 'node:fs';
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
  sqlTextsOf,
  startsPrograms,
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

  // They change with every version of Node, and the program would say that it serves and answer nothing.
  it('name no private member of Node', () => {
    const named = /['"]_[a-z]\w*['"]|\._[a-z]\w*/i;
    expect(named.test("Reflect.get(socket, '_handle')")).toBe(true);
    const users = modules
      .filter(({ file }) => layerOf(file) === 'http')
      .filter(({ file }) => named.test(readFileSync(join(src, file), 'utf8')))
      .map(({ file }) => file);
    expect(users).toEqual([]);
  });

  it('import each other in no circle', () => {
    expect(circlesOf(modules)).toEqual([]);
  });

  it('have no two folders that import each other', () => {
    expect(mutualFolders(modules)).toEqual([]);
  });

  // Next to or in addition to; in progress or running; who exactly.
  it('say it in plain words', () => {
    const odd = /\bbeside\b|\bunder way\b|\bwhoever\b/i;
    expect(odd.test('a file beside the store')).toBe(true);
    const users = modules
      .map(({ file }) => file)
      .filter((file) => odd.test(readFileSync(join(src, file), 'utf8')));
    expect(users).toEqual([]);
    const pages = readdirSync(join(src, '..', 'man')).filter((file) => /\.[178]$/.test(file));
    const texts = ['README.md', 'src/README.md', ...pages.map((file) => `man/${file}`)];
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((file) => odd.test(readFileSync(join(src, '..', file), 'utf8')))).toEqual(
      [],
    );
  });

  // Rows and values then have the types of the declared tables, on both engines.
  it('of the registry write their statements with drizzle, and no SQL as a text', () => {
    const registry = modules.filter(({ file }) => /^store\/(sqlite|shared)\/registry\//.test(file));
    const writers = registry.filter(({ imports }) => imports.includes('drizzle-orm/sql'));
    expect(writers.length).toBeGreaterThan(10);
    const texts = registry.flatMap(({ file }) =>
      sqlTextsOf(readFileSync(join(src, file), 'utf8')).map((text) => `${file}: ${text}`),
    );
    expect(texts).toEqual([]);
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

/** The files of tests that start programs without the helper of all others, each with its reason. */
const starters: readonly [file: RegExp, reason: string][] = [
  [/^run-program\.ts$/, 'the helper, on execa'],
  [/^(run\.js|golden\.js|programs\.mts)$/, 'they run before vitest'],
  [/^bench\//, 'they time the start of a program, and are bundled'],
  [
    /^store\/postgres\/server(-files|-guard)?\.ts$/,
    'a server outlives its tests, also in the benchmarks',
  ],
  [/^slow\/core\/interleavings\.test\.ts$/, 'its processes exchange messages (fork)'],
  [/^(slow\/)?e2e\/daemon\/(journal|log-reader)\.test\.ts$/, 'a descriptor is the output'],
  [/^slow\/e2e\/rotation-race\.test\.ts$/, 'the text of a program that is loaded before hkctl'],
];

describe('the tests', () => {
  const folder = __dirname;
  const importers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(m?ts|js)$/.test(file) && file !== 'architecture.test.ts')
    .filter((file) => startsPrograms(readFileSync(join(folder, file), 'utf8')));

  it('start every program by one helper, with few exceptions', () => {
    const isAllowed = (file: string) => starters.some(([pattern]) => pattern.test(file));
    expect(importers.filter((file) => !isAllowed(file))).toEqual([]);
  });

  it('have each of these exceptions', () => {
    for (const [pattern, reason] of starters) {
      expect(importers.filter((file) => pattern.test(file)).length, reason).toBeGreaterThan(0);
    }
  });

  it('are seen to start programs, and types start none', () => {
    for (const text of [
      "import { spawn } from 'node:child_process';",
      "import { type ChildProcess, spawn } from 'node:child_process';",
      "import { execa } from 'execa';",
      "const { spawn } = require('node:child_process');",
    ]) {
      expect(startsPrograms(text), text).toBe(true);
    }
    expect(startsPrograms("import type { ChildProcess } from 'node:child_process';")).toBe(false);
  });
});

describe('the check of the sources', () => {
  const withImport = (file: string, target: string): Module[] => {
    const whole: Module[] = [
      { file: 'core/keys.ts', imports: ['core/clock.ts', 'node:crypto'] },
      { file: 'core/clock.ts', imports: [] },
      { file: 'resources/parts.ts', imports: ['core/keys.ts', 'resources/jobs.ts'] },
      { file: 'resources/jobs.ts', imports: [] },
      { file: 'demo/plant.ts', imports: ['core/keys.ts', 'resources/parts.ts'] },
      { file: 'formats/csv.ts', imports: ['core/keys.ts', 'node:fs'] },
      {
        file: 'store/open.ts',
        imports: ['core/keys.ts', 'node:fs', 'pg', 'better-sqlite3', 'drizzle-orm/sql'],
      },
      { file: 'http/app.ts', imports: ['core/keys.ts', 'node:http', 'h3'] },
      { file: 'cli/run.ts', imports: ['core/keys.ts', 'node:fs', 'commander'] },
      { file: 'rights/rights.ts', imports: ['core/keys.ts', 'node:fs'] },
      { file: 'config.ts', imports: ['node:os'] },
      { file: 'start.ts', imports: ['config.ts', 'rights/rights.ts', 'demo/plant.ts'] },
      {
        file: 'main.ts',
        imports: [
          'cli/run.ts',
          'http/app.ts',
          'store/open.ts',
          'resources/parts.ts',
          '../package.json',
        ],
      },
    ];
    expect(forbiddenImports(whole)).toEqual([]);
    expect(importersOfRoot(whole)).toEqual([]);
    return [...whole.filter((module) => module.file !== file), { file, imports: [target] }];
  };

  const layerFiles = {
    core: 'core/keys.ts',
    resources: 'resources/parts.ts',
    demo: 'demo/plant.ts',
    formats: 'formats/csv.ts',
    store: 'store/open.ts',
    http: 'http/app.ts',
    cli: 'cli/run.ts',
    rights: 'rights/rights.ts',
    'config.ts': 'config.ts',
    'start.ts': 'start.ts',
    'main.ts': 'main.ts',
  };
  // What src/README.md allows, written down a second time: the check is held against it pair by pair.
  const mayImport: Record<string, readonly string[]> = {
    core: ['core'],
    resources: ['resources', 'core'],
    demo: ['demo', 'resources', 'core'],
    formats: ['formats', 'core'],
    store: ['store', 'core'],
    http: ['http', 'core'],
    cli: ['cli', 'core'],
    rights: ['rights', 'core'],
    'config.ts': ['rights'],
    'start.ts': ['main.ts', 'config.ts', 'demo', 'rights', 'core'],
  };
  const pairs = Object.keys(mayImport).flatMap((layer) =>
    Object.entries(layerFiles).map(([other, target]) => ({
      layer,
      other,
      target,
      allowed: mayImport[layer]?.includes(other),
    })),
  );

  it('has a case for every pair of layers', () => {
    expect(pairs.length).toBe(10 * 11);
    expect(pairs.filter(({ allowed }) => allowed).length).toBe(22);
  });

  it.each(pairs)('$layer → $other', ({ layer, target, allowed }) => {
    const file = `${layer}/new.ts`.replace('.ts/new.ts', '.ts');
    const found = forbiddenImports(withImport(file, target));
    expect(found).toEqual(allowed ? [] : [`${file} → ${target}`]);
  });

  it.each([
    ['core/keys.ts', 'node:fs'],
    ['core/keys.ts', 'drizzle-orm'],
    ['core/keys.ts', 'h3'],
    ['resources/parts.ts', 'node:crypto'],
    ['formats/csv.ts', 'csv-parse'],
    ['store/open.ts', 'h3'],
    ['store/open.ts', 'better-sqlite3-other'],
    // All of drizzle: a command would load its every dialect.
    ['store/open.ts', 'drizzle-orm'],
    ['cli/run.ts', 'drizzle-orm/sql'],
    ['http/app.ts', 'commander'],
    ['http/app.ts', 'better-sqlite3'],
    ['http/app.ts', 'h3-other'],
    ['cli/run.ts', 'h3'],
    ['cli/run.ts', 'better-sqlite3'],
    ['cli/run.ts', '../package.json'],
    ['config.ts', 'chalk'],
    ['start.ts', 'h3'],
  ])('refuses the package of %s → %s', (file, target) => {
    expect(forbiddenImports(withImport(file, target))).toEqual([`${file} → ${target}`]);
  });

  it('refuses a file of no layer', () => {
    expect(forbiddenImports(withImport('utils/texts.ts', 'core/keys.ts'))).toEqual([
      'utils/texts.ts is of no layer',
    ]);
  });

  it('finds who imports the composition root', () => {
    expect(importersOfRoot(withImport('cli/run.ts', 'main.ts'))).toEqual(['cli/run.ts']);
  });

  it('finds circles of any length, and none where there is none', () => {
    const graph = (edges: Record<string, string[]>) =>
      Object.entries(edges).map(([file, imports]) => ({ file, imports }));
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
    const graph = (edges: Record<string, string[]>) =>
      Object.entries(edges).map(([file, imports]) => ({ file, imports }));
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

  it.each([
    'const now = io.clock();',
    'storeClock(store, context.io.clock)',
    'return (session?.domain ?? io).clock();',
    '{ io: { clock }, services }: Context',
    'const { clock, uptime } = context.io;',
    "io: Pick<Io, 'clock' | 'env'>",
    'const ms = Date.now();',
    'clock: Date.now,',
    'new Date().toTimeString()',
  ])('sees the clock of the machine read by %s', (text) => {
    expect(readsMachineClock(text)).toBe(true);
  });

  it.each([
    'domain.clock()',
    'const { store, clock } = domain;',
    'new Date(ms)',
    'performance.now()',
    'io: { stdout }, clock',
  ])('does not take %s for the clock of the machine', (text) => {
    expect(readsMachineClock(text)).toBe(false);
  });

  it('sees SQL in a text, and not in a template of drizzle', () => {
    const text = `
      query('select id from keys');
      const update = \`update keys set note = 1\`;
      sql\`select 1 from \${keys}\`;
      throw new Error('Select an entity.');
      connection.prepare('PRAGMA data_version');
    `;
    expect(sqlTextsOf(text)).toEqual(["'select id from keys'", '`update keys set note = 1`']);
  });

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

  it.each([
    'const { HOME } = process.env;',
    'const home = process?.env.HOME;',
    "const home = process['env'].HOME;",
    'const { env } = process;',
    'const { env: all, argv } = process;',
    "import { env } from 'node:process';",
  ])('sees the environment read by %s', (text) => {
    expect(readsEnvironment(text)).toBe(true);
  });

  it.each(['const { argv } = process;', 'const { env } = environment;', 'io.env.HOME'])(
    'does not take %s for it',
    (text) => {
      expect(readsEnvironment(text)).toBe(false);
    },
  );
});
