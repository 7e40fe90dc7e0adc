import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The test files of `npm test` that hold properties, themselves or in a file that they import. */
export function propertyFiles(): string[] {
  const known = new Map<string, boolean>();
  const holdsProperties = (file: string): boolean => {
    const answer = known.get(file);
    if (answer !== undefined) return answer;
    // A circle of imports ends here.
    known.set(file, false);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const imported = [...text.matchAll(/ from '(\.[^']*)'/g)].map(([, path = '']) =>
      join(file, '..', path),
    );
    const holds =
      / from 'fast-check'/.test(text) || imported.filter(isOfTests).some(holdsProperties);
    known.set(file, holds);
    return holds;
  };
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith(join('test', 'slow')))
    .filter(holdsProperties);
}

function isOfTests(file: string): boolean {
  return file.startsWith('test');
}
