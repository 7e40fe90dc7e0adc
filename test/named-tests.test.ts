import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The names in a text that a pattern finds, one for each alternative in `{a,b}`. */
function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].flatMap(([name]) => alternatives(name));
}

function alternatives(name: string): string[] {
  const [whole, list] = /\{([^{}]*)\}/.exec(name) ?? [];
  if (whole === undefined || list === undefined) return [name];
  return list.split(',').flatMap((one) => alternatives(name.replace(whole, one)));
}

// A file that was moved would otherwise run where it should not, or in the wrong order, and nobody would see it.
describe('every file of tests that a list names exists', () => {
  it.each([
    [
      'vitest.config.mts',
      /^const (?:aboutFiles|commands) = \[.*?^\];/gms,
      /test\/[\w/{},-]+\.test\.ts/g,
      '',
      '',
    ],
    [
      'test/sequencer.mts',
      /^const longest = \[.*?^\]/ms,
      /(?<=')[\w/-]+(?=')/g,
      'test/',
      '.test.ts',
    ],
  ])('%s', (file, part, name, before, after) => {
    const text = readFileSync(file, 'utf8');
    const lists = text.match(part) ?? [];
    const names = lists.flatMap((list) => namesIn(list, name)).map((one) => before + one + after);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((one) => !existsSync(one))).toEqual([]);
  });
});
