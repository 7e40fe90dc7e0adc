import { crc32, sha256 } from './digest.ts';

/** How long a full secret is: `hk_`, 43 random characters, 6 of checksum. */
export const secretLength = 52;
/** How many characters of a secret are random, and how many the checksum behind them has. */
const randomLength = 43;
const checksumLength = 6;
/** How many leading characters name a key in lists, logs and commands. */
const prefixLength = 8;

const scheme = 'hk_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretPattern = /^hk_[0-9A-Za-z]{49}$/;
/** A text that begins like a secret and is longer than a prefix, also URL-encoded, once or by each of several proxies. */
const secretStartPattern =
  /(?:h|%(?:25)*68)(?:k|%(?:25)*6[Bb])(?:_|%(?:25)*5[Ff])[0-9A-Za-z%]{6,}/g;
/** The largest multiple of 62 below 256: bytes at or above it are thrown away, so that no character is likelier. */
const unbiasedBelow = 248;

/** Source of randomness: `length` bytes from a CSPRNG. Injected so that a test can force a taken prefix. */
export type RandomBytes = (length: number) => Uint8Array;

export function secureRandom(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/** Draws a new secret of 256 random bits: `^hk_[0-9A-Za-z]{49}$` (promise 1.1). */
export function drawSecret(random: RandomBytes = secureRandom): string {
  const bodyLength = scheme.length + randomLength;
  let body = scheme;
  while (body.length < bodyLength) {
    for (const byte of random(64)) {
      if (byte < unbiasedBelow && body.length < bodyLength) {
        body += alphabet[byte % 62];
      }
    }
  }
  return body + checksumOf(body);
}

export function prefixOf(secret: string): string {
  return secret.slice(0, prefixLength);
}

/** SHA-256 of a secret, base64url (43 characters): the only form in which the store knows it. */
export function hashOf(secret: string): string {
  return sha256(secret, 'base64url');
}

/** Whether a text has the length, alphabet and checksum of a secret: refuses typos before the store is asked. */
export function isCompleteSecret(text: string): boolean {
  if (text.length !== secretLength || !secretPattern.test(text)) {
    return false;
  }

  const checksumStart = secretLength - checksumLength;
  let claimedChecksum = 0;
  for (let position = checksumStart; position < secretLength; position++) {
    claimedChecksum = claimedChecksum * 62 + digitOf(text.charCodeAt(position));
  }
  return claimedChecksum === crc32(text.slice(0, checksumStart));
}

/** Cuts everything shaped like a secret down to its prefix, before a text of others is logged or quoted. */
export function redactSecrets(text: string): string {
  if (!text.includes(scheme) && !text.includes('%')) {
    return text;
  }
  return text.replace(
    secretStartPattern,
    (match) => `${urlDecoded(match).slice(0, prefixLength)}…`,
  );
}

/** The same, but keeps words that only begin like a secret, such as names of files. */
export function withoutSecrets(text: string): string {
  return holdsSecret(text) ? redactSecrets(text) : text;
}

/** Whether so much of a secret is in a text that it is no accident, also URL-encoded. */
export function holdsSecret(text: string): boolean {
  if (secretFragment.test(text)) return true;
  return text.includes('%') && encodedFragment.test(text);
}

/** Whether a text contains a secret in plain form. */
export function looksLikeSecret(text: string): boolean {
  return secretFragment.test(text);
}

/** Advice on a secret among the words of a command line, which others can read; undefined if there is none. */
export function exposureIn(words: readonly string[]): string | undefined {
  const secretWord = words.find(holdsSecret);
  if (secretWord === undefined) return undefined;

  const fragment = secretFragment.exec(secretWord)?.[0];
  const prefix = fragment?.slice(0, prefixLength) ?? 'REF';
  return `This command line contains a secret. Your shell's history now has it, too. Rotate its key: hkctl keys rotate ${prefix}. Then remove the line from the history.`;
}

/** Longer than any prefix, and than a part number that happens to look similar. */
const secretFragment = /hk_[0-9A-Za-z]{24}/;
/** The same with URL-encoded characters, encoded once or by each of several proxies. */
const encodedFragment =
  /(?:h|%(?:25)*68)(?:k|%(?:25)*6[Bb])(?:_|%(?:25)*5[Ff])(?:[0-9A-Za-z]|%(?:25)*(?:3\d|[46][1-9A-Fa-f]|[57][\dAa])){24}/;

/** Decodes valid escapes and, unlike `decodeURIComponent`, leaves all other text. */
function urlDecoded(encodedText: string): string {
  return encodedText.replace(/%(?:25)*([0-9A-Fa-f]{2})/g, (_, hexDigits: string) =>
    String.fromCharCode(Number.parseInt(hexDigits, 16)),
  );
}

function digitOf(charCode: number): number {
  if (charCode <= 57) return charCode - 48;
  return charCode <= 90 ? charCode - 55 : charCode - 61;
}

function checksumOf(body: string): string {
  let remainder = crc32(body);
  let digits = '';
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[remainder % 62] + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}
