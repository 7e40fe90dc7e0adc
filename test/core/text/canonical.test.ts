import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../src/core/text/words.ts';

describe('canonicalText', () => {
  it('gives two spellings of a name one form', () => {
    expect(canonicalText('Cafe\u0301')).toBe('Caf\u00e9');
    expect(canonicalText(`a${'\u0301\u0323'.repeat(15)}`)).toBe(
      canonicalText(`a${'\u0323\u0301'.repeat(15)}`),
    );
  });

  it('leaves a text with more than thirty marks in a row as it is', () => {
    const text = `a${'\u0301\u0323'.repeat(16)}`;
    expect(canonicalText(text)).toBe(text);
  });
});
