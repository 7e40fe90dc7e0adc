import { isCompleteSecret, secretLength } from '../secrets.ts';

/** Finds secrets by their checksum. `k_` is rarer than the `h` before it: a search for it is three times as fast. */
export function secretsIn(bytes: Buffer): { offset: number; secret: string }[] {
  const secrets = [];
  for (
    let markAt = bytes.indexOf('k_', 1, 'latin1');
    markAt !== -1;
    markAt = bytes.indexOf('k_', markAt + 2, 'latin1')
  ) {
    const offset = markAt - 1;
    if (bytes[offset] !== letterH) continue;
    const secret = bytes.toString('latin1', offset, offset + secretLength);
    if (isCompleteSecret(secret)) {
      secrets.push({ offset, secret });
    }
  }
  return secrets;
}

const letterH = 0x68;

/** How many bytes at the end of a chunk must be searched again with the next one. */
export const scanOverlap = secretLength - 1;

/** A rule for gitleaks and for scanners that read its format (TOML). */
export const gitleaksRule = [
  '[[rules]]',
  'id = "hkctl-api-key"',
  'description = "API key of hkctl"',
  "regex = '''hk_[0-9A-Za-z]{49}'''",
  'keywords = ["hk_"]',
].join('\n');
