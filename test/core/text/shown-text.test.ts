import { describe, expect, it } from 'vitest';
import { requireLabel } from '../../../src/core/text/labels.ts';
import {
  invisibleIn,
  isTricky,
  printable,
  quotedName,
  trickyIn,
} from '../../../src/core/text/shown-text.ts';

/** Names with joiners, selectors or tags that a reader sees. */
const meaningful: Record<string, string> = {
  'a red heart': 'Line \u2764\ufe0f 3',
  'a black heart': '\u2764\ufe0e',
  'a warning in colour': '\u26a0\ufe0f Oven',
  'a keycap': 'Line 1\ufe0f\u20e3',
  'a factory worker': '\u{1f9d1}\u200d\u{1f3ed}',
  'a worker with a skin tone': '\u{1f468}\u{1f3fd}\u200d\u{1f527}',
  'a family': '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'a rainbow flag': '\u{1f3f3}\ufe0f\u200d\u{1f308}',
  'the flag of Scotland': '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'Persian with a non-joiner': '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  'Sinhala with a joiner': '\u0dc1\u0dca\u200d\u0dbb\u0dd3 \u0dbd\u0d82\u0d9a\u0dcf',
  'Hindi with a non-joiner': '\u0928\u093f\u0915\u094d\u200c\u0938\u0928',
  'a variant of an ideograph': '\u845b\u{e0100}\u98fe',
  'Mongolian with a selector': '\u1820\u180b',
};

/** Names in which they would be invisible. */
const meaningless: Record<string, [name: string, number: string]> = {
  'a selector after a letter': ['A\ufe0f', 'U+FE0F'],
  'a selector after a digit': ['Line 1\ufe0f', 'U+FE0F'],
  'a selector at the beginning': ['\ufe0fA', 'U+FE0F'],
  'two selectors': ['\u2764\ufe0f\ufe0f', 'U+FE0F'],
  'a joiner between Latin letters': ['a\u200db', 'U+200D'],
  'a non-joiner between Latin letters': ['a\u200cb', 'U+200C'],
  'a joiner after an emoji': ['\u{1f9d1}\u200dx', 'U+200D'],
  'a joiner at the end': ['\u0645\u200d', 'U+200D'],
  'a zero width space': ['Oven\u200b', 'U+200B'],
  'a byte order mark': ['Ov\ufeffen', 'U+FEFF'],
  'an override': ['Oven \u202e3', 'U+202E'],
  'a word joiner': ['a\u2060b', 'U+2060'],
  'a soft hyphen': ['O\u00adven', 'U+00AD'],
  'tags without a flag': ['x\u{e0067}\u{e007f}', 'U+E0067'],
  'an ideographic selector after a letter': ['A\u{e0100}', 'U+E0100'],
  'a Hangul filler': ['\u3164', 'U+3164'],
};

describe('names of keys, sites and people', () => {
  it.each(Object.entries(meaningful))('may contain %s, and show it', (_what, name) => {
    expect(requireLabel(name, 'The name')).toBe(name.normalize('NFC'));
    expect([trickyIn(name), isTricky(name), printable(name)]).toEqual([undefined, false, name]);
    expect(quotedName(name)).toBe(`"${name}"`);
    expect(invisibleIn(name)).toMatch(/^U\+/);
  });

  it.each(Object.entries(meaningless))(
    'may not contain %s, and name its number',
    (_what, [name, number]) => {
      expect(() => requireLabel(name, 'The name')).toThrow(`must not contain ${number},`);
      expect(printable(name)).not.toBe(name);
      expect(quotedName(name)).toContain(`<${number}>`);
      expect(invisibleIn(name)).toBeDefined();
    },
  );

  it('are stored in one form of Unicode', () => {
    expect(requireLabel('Gera\u0308t 1', 'The name')).toBe('Ger\u00e4t 1');
    expect(requireLabel('\u212bngstro\u0308m', 'The name')).toBe('\u00c5ngstr\u00f6m');
  });
});
