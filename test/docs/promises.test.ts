import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(__dirname, '..', '..');
const page = readFileSync(join(root, 'man', 'hkctl-promises.7'), 'utf8');
const promises = [...page.matchAll(/^\.It (\d+)\.(\d+)$/gm)].map(([, section, item]) => ({
  section: Number(section),
  item: Number(item),
}));
const numbers = new Set(promises.map(({ section, item }) => `${section}.${item}`));

const sources = ['src', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  )
  .filter((file) => file.endsWith('.ts') && file !== 'test/docs/promises.test.ts')
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** The numbers that a text refers to, such as `promise 5.5` or `promises 6.1 and 6.2`. */
function referencesIn(text: string): string[] {
  return [...text.matchAll(/\bpromises? (\d+\.\d+)(?: and (\d+\.\d+))?/g)].flatMap(
    ([, first, second]) => [first, second].filter((number) => number !== undefined),
  );
}

describe('the promises of hkctl-promises(7)', () => {
  it('are numbered without a gap in every section', () => {
    const sections = [...new Set(promises.map(({ section }) => section))];
    expect(sections).toEqual(sections.map((_, index) => index + 1));

    for (const section of sections) {
      const items = promises.filter((promise) => promise.section === section);
      expect(items.map(({ item }) => item)).toEqual(items.map((_, index) => index + 1));
    }
  });

  it('include every number that the sources refer to', () => {
    const references = sources.flatMap(({ file, text }) =>
      referencesIn(text).map((number) => ({ file, number })),
    );
    expect(references.length).toBeGreaterThan(40);
    expect(references.filter(({ number }) => !numbers.has(number))).toEqual([]);
  });

  it('are the only document of promises that the program refers to', () => {
    const outside = /\bcontract,? section|\bspecification,? (section )?\d/i;
    const users = sources.filter(({ file, text }) => file.startsWith('src/') && outside.test(text));
    expect(users.map(({ file }) => file)).toEqual([]);
  });

  it('are found by their references', () => {
    expect(referencesIn('on disk (promise 5.5), as promises 6.1 and 6.2 say')).toEqual([
      '5.5',
      '6.1',
      '6.2',
    ]);
  });
});
