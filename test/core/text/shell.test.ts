import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellWord } from '../../../src/core/text/quoting.ts';
import { runProgram } from '../../run-program.ts';

it('any text is one word of a shell, and the same text in it', () => {
  const sample = fc.sample(
    fc.string({ unit: fc.constantFrom(...' \t\n\'"\\$`!*?[]{}()<>|&;#~=%é', 'a', '-') }),
    500,
  );
  const texts = [
    '',
    "'",
    "it's",
    '#993',
    '~',
    '$(id)',
    '`id`',
    'a b',
    'http://[::1]:8420/x',
    ...sample,
  ];
  const command = `printf '%s\\0' ${texts.map(shellWord).join(' ')}`;
  expect(runProgram('/bin/sh', ['-c', command]).stdout.split('\0')).toEqual([...texts, '']);
});

it('a word that needs no quotes has none', () => {
  for (const text of [
    '/var/lib/hkctl/hkctl.db',
    'ada@example.com',
    'https://api.example.com:8443/x%20y?',
  ]) {
    expect(shellWord(text)).toBe(text.endsWith('?') ? `'${text}'` : text);
  }
});
