import { crc32 } from '../digest.ts';

/** Where a text holds the body of a secret: all of it behind `hk_`, from `start` to before `end`. */
interface HiddenBody {
  start: number;
  end: number;
}

/** How many characters of a secret are random, and how many the checksum behind them has. */
export const randomLength = 43;
export const checksumLength = 6;
const bodyLength = randomLength + checksumLength;

/**
 * The bodies of secrets in a text, also without their `hk_` and with anything but letters and digits between their
 * characters: line ends, blanks, quotes, zero-width characters. The checksum identifies them; a chance hit is one in
 * 62^6. Takes some nanoseconds a character, so that a log can afford it for whatever a client sends.
 */
export function hiddenBodies(text: string): HiddenBody[] {
  if (text.length < bodyLength) return [];
  tables ??= createTables();
  const { digits, step, leave, start: always } = tables;
  const digitAt = (at: number): number => digits[text.charCodeAt(at)] ?? none;
  const found: HiddenBody[] = [];
  let count = 0;
  let crc = 0;
  let claimed = 0;
  // Three positions move through the text, one behind the other: where a digit enters the checksum, where it passes on to the
  // random part, and where it leaves that. Nothing is stored, since every line of a log is searched.
  let entering = -1;
  let leaving = -1;
  for (let at = 0; at < text.length; at++) {
    const digit = digitAt(at);
    if (digit === none) continue;
    // Modulo 2^32, as a CRC is; all of its digits are compared once the rest matches.
    claimed = (Math.imul(claimed, 62) + digit) | 0;
    count++;
    if (count > checksumLength) {
      do entering++;
      while (digitAt(entering) === none);
      claimed = (claimed - Math.imul(beyondChecksum, digitAt(entering))) | 0;
      crc = (crc >>> 8) ^ (step[(crc ^ text.charCodeAt(entering)) & 255] ?? 0);
    }
    if (count > bodyLength) {
      do leaving++;
      while (digitAt(leaving) === none);
      crc ^= leave[text.charCodeAt(leaving)] ?? 0;
    }
    if (count < bodyLength || (crc ^ always) !== claimed) continue;
    let start = leaving + 1;
    while (digitAt(start) === none) start++;
    if (isBody(lettersOf(text.slice(start, at + 1)), digits)) found.push({ start, end: at + 1 });
  }
  return found;
}

function lettersOf(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, '');
}

function isBody(body: string, digits: Uint8Array): boolean {
  let claimed = 0;
  for (let at = randomLength; at < bodyLength; at++) claimed = claimed * 62 + (digits[body.charCodeAt(at)] ?? 0);
  return claimed === crc32(`hk_${body.slice(0, randomLength)}`);
}

/** The weight of the digit that leaves the checksum: 62^6 modulo 2^32. */
const beyondChecksum = (62 ** checksumLength % 2 ** 32) | 0;
const none = 255;

interface Tables {
  /** Values of the digits of base62 by their character code. */
  digits: Uint8Array;
  /** What one more byte does to a CRC-32 that began with 0. */
  step: Int32Array;
  /** What a byte still weighs once {@link randomLength} others came after it. */
  leave: Int32Array;
  /** What `hk_`, and the beginning and end of a CRC-32, add to that of the random part. */
  start: number;
}

function createTables(): Tables {
  const digits = Uint8Array.from({ length: 128 }, (_, code) => {
    if (code >= 48 && code <= 57) return code - 48;
    if (code >= 65 && code <= 90) return code - 55;
    return code >= 97 && code <= 122 ? code - 61 : none;
  });
  const step = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
  const leave = step.map((weight) => {
    let crc = weight;
    for (let zero = 0; zero < randomLength; zero++) crc = (crc >>> 8) ^ (step[crc & 255] ?? 0);
    return crc;
  });
  return { digits, step, leave, start: crc32(`hk_${'\0'.repeat(randomLength)}`) };
}

let tables: Tables | undefined;

/**
 * The same text with what hides characters undone: percent-encoding, escapes of JSON, JavaScript and C, character references
 * of HTML; several times over, since one may stand in another. What is no encoding stays.
 */
export function decodeHidden(text: string): string {
  let decoded = text;
  for (let pass = 0; pass < mostPasses; pass++) {
    const before = decoded;
    if (decoded.includes('%')) decoded = decoded.replace(percent, (_, hex: string) => fromHex(hex));
    if (decoded.includes('\\')) decoded = decoded.replace(backslash, unescaped);
    if (decoded.includes('&'))
      decoded = decoded.replace(reference, (_, hex?: string, decimal?: string) =>
        hex === undefined ? String.fromCharCode(Number(decimal)) : fromHex(hex),
      );
    if (decoded === before) break;
  }
  return decoded;
}

/** An escape of an escape is undone in one pass; more are for what is put together out of pieces of escapes. */
const mostPasses = 4;
const percent = /%(?:25)*([0-9a-f]{2})/gi;
const backslash = /\\{1,9}(?:u([0-9a-f]{4})|u\{0{0,4}([0-9a-f]{1,4})\}|x([0-9a-f]{2})|[abefnrtv0])/gi;
const reference = /&#(?:x0*([0-9a-f]{1,4})|0*(\d{1,5}));?/gi;

/** A control character separates the characters around it, and belongs to neither. */
function unescaped(_: string, four?: string, some?: string, two?: string): string {
  const hex = four ?? some ?? two;
  return hex === undefined ? '\n' : fromHex(hex);
}

function fromHex(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** Runs of characters that are base64, base64url or hexadecimal digits of a text with a secret in it. */
export function packedSecrets(text: string): string[] {
  if (!hasPackedRun(text)) return [];
  const runs = (digits: RegExp, encoding: 'base64' | 'hex', offsets: readonly number[]) =>
    (text.match(digits) ?? []).filter((run) =>
      // The run may begin in the middle of a group of digits.
      offsets.some((skipped) => hiddenBodies(Buffer.from(run.slice(skipped), encoding).toString('latin1')).length > 0),
    );
  return [...runs(hexDigits, 'hex', [0, 1]), ...runs(base64Digits, 'base64', [0, 1, 2, 3])];
}

/** 49 bytes in groups of three, four digits each. */
const shortestPacked = 66;
const base64Digits = /[0-9A-Za-z+/_-]{66,}/g;
const hexDigits = /[0-9a-f]{98,}/gi;

/** Whether a text has a run of digits as long as a packed secret; a regular expression would begin anew at each of them. */
function hasPackedRun(text: string): boolean {
  if (text.length < shortestPacked) return false;
  tables ??= createTables();
  const { digits } = tables;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // + - / _
    const isDigit = (digits[code] ?? none) !== none || code === 43 || code === 45 || code === 47 || code === 95;
    length = isDigit ? length + 1 : 0;
    if (length === shortestPacked) return true;
  }
  return false;
}
