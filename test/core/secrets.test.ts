import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drawSecret,
  hashOf,
  holdsSecret,
  isCompleteSecret,
  looksLikeSecret,
  prefixOf,
  redactSecrets,
  secretLength,
  withoutSecrets,
} from '../../src/core/secrets.ts';
import { CanaryWatch, canaries } from '../e2e/secrets/canaries.ts';

describe('a secret', () => {
  it('has the shape of the contract and passes its own checksum', () => {
    for (let i = 0; i < 500; i++) {
      const secret = drawSecret();
      expect(secret).toMatch(/^hk_[0-9A-Za-z]{49}$/);
      expect(secret).toHaveLength(secretLength);
      expect(isCompleteSecret(secret)).toBe(true);
      expect(prefixOf(secret)).toBe(secret.slice(0, 8));
    }
  });

  it('ends in the CRC-32 of everything before, base62, zero-padded', () => {
    const secret = drawSecret((n) => new Uint8Array(n));
    expect(secret.slice(0, 46)).toBe(`hk_${'0'.repeat(43)}`);
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const decoded = [...secret.slice(46)].reduce(
      (sum, digit) => sum * 62 + digits.indexOf(digit),
      0,
    );
    expect(decoded).toBe(crc32Bitwise(secret.slice(0, 46)));
  });

  it('is refused when any one character is changed, dropped or added', () => {
    const secret = drawSecret();
    fc.assert(
      fc.property(
        fc.nat(secretLength - 1),
        fc.constantFrom(...'0129AZaz_-'),
        (position, character) => {
          fc.pre(secret[position] !== character);
          const changed = secret.slice(0, position) + character + secret.slice(position + 1);
          expect(isCompleteSecret(changed)).toBe(false);
          expect(isCompleteSecret(secret.slice(0, position) + secret.slice(position + 1))).toBe(
            false,
          );
          expect(
            isCompleteSecret(secret.slice(0, position) + character + secret.slice(position)),
          ).toBe(false);
        },
      ),
    );
    expect(isCompleteSecret(prefixOf(secret))).toBe(false);
    expect(isCompleteSecret('')).toBe(false);
  });

  it('draws every character about as often as any other', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      for (const character of drawSecret().slice(3, 46))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    const expected = (3000 * 43) / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(expected * 0.2);
  });

  it('is known to the store by its SHA-256 alone', () => {
    expect(hashOf('hk_example')).toBe('8vsZY4A_v7FL5S5TnFnW3Mys0RoL_ufTFvCU9saquxM');
    expect(hashOf(drawSecret())).toMatch(/^[\w-]{43}$/);
  });
});

describe('redaction', () => {
  const encode = (text: string) =>
    [...text].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

  it('leaves the prefix and nothing more of anything shaped like a secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const secret = drawSecret();
        const text = redactSecrets(`${before} ${secret} ${after}`);
        expect(text).not.toContain(secret.slice(0, 9));
        expect(text).not.toMatch(/hk_[0-9A-Za-z]{6}/);
      }),
    );
  });

  it.each(canaries().map((canary) => [canary.form, canary] as const))(
    'cuts one %s',
    (form, canary) => {
      expect(holdsSecret(canary.text), canary.text).toBe(true);
      for (const text of [
        canary.text,
        `a ${canary.text} b`,
        `${'x'.repeat(60)}-${canary.text}\n${'y'.repeat(60)}`,
      ]) {
        expect(
          new CanaryWatch([canary]).leakIn(redactSecrets(text)),
          `${form}: ${redactSecrets(text)}`,
        ).toBeUndefined();
        expect(withoutSecrets(text)).toBe(redactSecrets(text));
      }
    },
  );

  it('finds one of which any characters are URL-encoded', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 52 }),
        fc.boolean(),
        fc.nat(2),
        (places, isUpper, again) => {
          const secret = drawSecret();
          const chosen = new Set([...places].map((place) => place % secret.length));
          const once = [...secret]
            .map((char, at) => (chosen.has(at) ? encode(char) : char))
            .join('');
          // As two proxies in a row pass it on.
          const text = once.replaceAll('%', `%${'25'.repeat(again)}`);
          const cased = isUpper
            ? text.replace(/%\w+/g, (run) =>
                run.replace(/%(?:25)*../, (code) => code.toUpperCase()),
              )
            : text;
          expect(redactSecrets(`/api/v1/parts?key=${cased}&limit=5`)).toBe(
            `/api/v1/parts?key=${secret.slice(0, 8)}…&limit=5`,
          );
          expect(holdsSecret(text)).toBe(true);
        },
      ),
    );
  });

  it('comes to an end, and to no longer text, whatever is in it', () => {
    for (const text of [
      '%25'.repeat(5000),
      `%${'25'.repeat(8000)}`,
      'hk_%'.repeat(4000),
      `hk%${'25'.repeat(8000)}5f`,
    ]) {
      expect(redactSecrets(text).length).toBeLessThanOrEqual(text.length);
    }
  });

  it('leaves other texts alone', () => {
    for (const text of [
      'GET /api/v1/parts?limit=5',
      '/x?at=2026-11-20T08%3A00%3A00Z',
      'hk_12345',
      '100 % of hk_',
      'C:\\new %41',
    ]) {
      expect(redactSecrets(text)).toBe(text);
    }
  });
});

/** CRC-32 (IEEE 802.3) bit by bit: slow, plain, and none of ours. */
function crc32Bitwise(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('the shape of a secret', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  /** A text with the checksum that a secret would have. */
  const summed = (body: string) => {
    let rest = crc32Bitwise(body);
    let digits = '';
    for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) digits = alphabet[rest % 62] + digits;
    return body + digits;
  };

  it('needs its beginning and its alphabet, though length and checksum are right', () => {
    expect(isCompleteSecret(summed(`hk_${'a'.repeat(43)}`))).toBe(true);
    for (const body of [
      `hx_${'a'.repeat(43)}`,
      `HK_${'a'.repeat(43)}`,
      `hk_${'a'.repeat(42)}-`,
      `hk_${'a'.repeat(42)}ä`,
    ]) {
      expect(summed(body)).toHaveLength(secretLength);
      expect(isCompleteSecret(summed(body)), body).toBe(false);
    }
  });

  it('is hashed whole', () => {
    const secret = drawSecret();
    expect(hashOf(secret)).toBe(createHash('sha256').update(secret).digest('base64url'));
  });

  it('is cut down from the ninth character on', () => {
    expect(redactSecrets('hk_abcde')).toBe('hk_abcde');
    expect(redactSecrets('hk_abcdef')).toBe('hk_abcde…');
  });

  it('is left in a text that merely begins like one, such as the name of a file', () => {
    expect(withoutSecrets('/var/backups/hk_backups_of_acme.db')).toBe(
      '/var/backups/hk_backups_of_acme.db',
    );
  });

  it('is seen in a text by 24 characters of it, and not by fewer', () => {
    expect(holdsSecret(`?q=hk_${'a'.repeat(24)}`)).toBe(true);
    expect(holdsSecret(`?q=hk_${'a'.repeat(23)}`)).toBe(false);
    expect(holdsSecret(`100%25 of hk_${'a'.repeat(23)}`)).toBe(false);
    expect(looksLikeSecret(`?q=hk_${'a'.repeat(24)}`)).toBe(true);
    expect(looksLikeSecret(`?q=hk_${'a'.repeat(23)}`)).toBe(false);
  });
});
