import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenBodies } from '../../../src/core/keys/hidden-secrets.ts';
import {
  drawSecret,
  holdsSecret,
  isCompleteSecret,
  redactSecrets,
  withoutSecrets,
} from '../../../src/core/keys/secrets.ts';
import { CanaryWatch, canaries } from '../../e2e/secrets/canaries.ts';

describe('a secret is found', () => {
  it.each(canaries().map((canary) => [canary.form, canary] as const))('%s', (form, canary) => {
    expect(holdsSecret(canary.text), canary.text).toBe(true);
    for (const text of [canary.text, `a ${canary.text} b`, `${'x'.repeat(60)}-${canary.text}\n${'y'.repeat(60)}`]) {
      expect(new CanaryWatch([canary]).leakIn(redactSecrets(text)), `${form}: ${redactSecrets(text)}`).toBeUndefined();
      expect(withoutSecrets(text)).toBe(redactSecrets(text));
    }
  });

  it('without its hk_ in any text, where its checksum fits and nowhere else', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string({ unit: fc.constantFrom('a', 'Z', '0', '9') }),
        (before, after, run) => {
          const secret = drawSecret();
          const body = secret.slice(3);
          const text = `${before}${run}${body}${run}${after}`;
          const start = before.length + run.length;
          expect(hiddenBodies(text)).toEqual([{ start, end: start + body.length }]);
          const wrong = `${body.slice(0, -1)}${body.endsWith('0') ? '1' : '0'}`;
          expect(isCompleteSecret(`hk_${wrong}`)).toBe(false);
          expect(hiddenBodies(`${before}${run}${wrong}${run}${after}`)).toEqual([]);
        },
      ),
    );
  });

  it('where one escape stands for the beginning of another', () => {
    const secret = drawSecret();
    const hex = secret.charCodeAt(20).toString(16);
    expect(holdsSecret(`${secret.slice(0, 20)}&#37;${hex}${secret.slice(21)}`)).toBe(true);
  });

  it('twice, one behind the other', () => {
    const [one, two] = [drawSecret(), drawSecret()];
    expect(redactSecrets(`${one}${two.slice(3)}`)).toBe(`${one.slice(0, 8)}…${two.slice(3, 8)}…`);
  });
});

it('leaves other texts as they are, also such as begin like one, or are as long', () => {
  for (const text of [
    '/var/backups/hk_backups_of_acme.db',
    'a'.repeat(200),
    '0123456789abcdef'.repeat(20),
    Buffer.from('the quick brown fox jumps over the lazy dog, again and again and again').toString('base64'),
    'C:\\new\\table\\u0041 &#65; %41',
    crypto.randomUUID().repeat(4),
  ]) {
    expect(withoutSecrets(text)).toBe(text);
  }
});

it('comes to an end, whatever is in a text: what is quadratic in it would not within the time of a test', () => {
  const texts = ['\\', '\\u{', '\\u000', '&#', '&#x0', '%', '%25', 'hk_', 'a', 'f0', drawSecret()];
  for (const text of texts) {
    const long = text.repeat(Math.ceil(500_000 / text.length));
    expect(redactSecrets(long).length).toBeLessThanOrEqual(long.length);
  }
});
