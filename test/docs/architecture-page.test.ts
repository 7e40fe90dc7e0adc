import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const decisionsFolder = 'src/decisions';
const page = readFileSync('src/README.md', 'utf8');
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const names = new Set(files.map((file) => basename(file)));

/** The names of files and folders in a text. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) =>
    code.split(/[ ,:]+/).filter((word) => /^[\w.-]+\/[\w./-]+$|^[\w-]+\.ts$/.test(word)),
  );
}

const named = namesIn(page);

/** Folders from which the page names others: those of an engine without the engine's own folder, for instance. */
const bases = [
  '',
  'src',
  'src/http',
  'src/store',
  'src/store/sqlite',
  'src/store/postgres',
  'src/core',
];
/** What only exists once the reader has called `npm start`. */
const examples = new Set(['demo/hkctl.db', '127.0.0.1/metrics', '8421/metrics']);

const isThere = (name: string): boolean =>
  names.has(name) ||
  bases.some((base) => existsSync(join(base, name)) || existsSync(join(base, `${name}.ts`)));

describe('the architecture page', () => {
  it('names files and folders that exist', () => {
    expect(named.filter((name) => !isThere(name) && !examples.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(100);
  });

  it('has a map of at most 215 lines, so that people read it', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(215);
  });

  it('names every layer and every folder directly in it, by itself or by its last name', () => {
    const folders = new Set(
      files
        .map((file) => dirname(file).split('/').slice(0, 2).join('/'))
        .filter((folder) => folder !== '.'),
    );
    const words = new Set(page.split(/[^\w./-]+/).flatMap((word) => [word, ...word.split('/')]));
    const missing = [...folders].filter(
      (folder) => !words.has(folder) && !words.has(basename(folder)),
    );

    expect(folders.size).toBeGreaterThan(40);
    expect(missing).toEqual([]);
  });
});

describe('the decisions', () => {
  const files = readdirSync(decisionsFolder).sort();

  it('are numbered without a gap, and each is linked from the architecture page', () => {
    const numbers = files.map((file) => Number.parseInt(file, 10));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));

    expect(files.filter((file) => !page.includes(`(decisions/${file})`))).toEqual([]);
  });

  it.each(files)('%s has context, decision and consequence, and names files that exist', (file) => {
    const record = readFileSync(join(decisionsFolder, file), 'utf8');
    const headings = [...record.matchAll(/^\*\*(\w+)\.\*\* /gm)].map(([, heading]) => heading);

    expect(headings).toEqual(['Context', 'Decision', 'Consequence']);
    expect(namesIn(record).filter((name) => !isThere(name))).toEqual([]);
  });
});
