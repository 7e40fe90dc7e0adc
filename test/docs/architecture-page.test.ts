import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const page = readFileSync('src/README.md', 'utf8');
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);
const names = new Set(files.map((file) => basename(file)));

/** The names of files and folders on the page. */
const named = [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, text = '']) =>
  text.split(/[ ,:]+/).filter((word) => /^[\w.-]+\/[\w./-]+$|^[\w-]+\.ts$/.test(word)),
);

/** Folders from which the page names others: those of an engine without the engine's own folder, for instance. */
const bases = ['', 'src', 'src/http', 'src/store/sqlite', 'src/store/postgres', 'src/core'];
/** What only exists once the reader has called `npm start`. */
const examples = new Set(['demo/hkctl.db', '127.0.0.1/metrics', '8421/metrics']);

describe('the architecture page', () => {
  it('names files and folders that exist', () => {
    const isThere = (name: string) =>
      names.has(name) ||
      bases.some((base) => existsSync(join(base, name)) || existsSync(join(base, `${name}.ts`)));
    expect(named.filter((name) => !isThere(name) && !examples.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(100);
  });

  it('names every folder in which there are files, by itself or by its last name', () => {
    const folders = new Set(files.map((file) => dirname(file)).filter((folder) => folder !== '.'));
    const words = new Set(page.split(/[^\w./-]+/).flatMap((word) => [word, ...word.split('/')]));
    const missing = [...folders].filter(
      (folder) => !words.has(folder) && !words.has(basename(folder)),
    );
    expect(missing).toEqual([]);
  });
});
