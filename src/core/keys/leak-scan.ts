import { isCompleteSecret, secretLength } from '../secrets.ts';

/** A secret in bytes, and where its text begins and ends; in base64, that is the group of characters that it begins in. */
interface FoundSecret {
  offset: number;
  endOffset: number;
  secret: string;
}

/** Characters that every text of a secret in one form contains, with a first one that is rare in texts. */
interface Mark {
  characters: string;
  charactersBefore: number;
  /** The number of characters of the whole text. */
  length: number;
  decode: (text: string) => string;
}

const plainMark: Mark = {
  characters: 'k_',
  charactersBefore: 1,
  length: secretLength,
  decode: (text) => text,
};

/** Base64 encodes `hk_` in three ways, by its place in a group of three bytes. */
const base64Marks = [base64Mark('Gtf', 1, 0), base64Mark('hrX', 2, 1), base64Mark('oa1', 3, 2)];

function base64Mark(characters: string, charactersBefore: number, bytesBefore: number): Mark {
  const bytesEnd = bytesBefore + secretLength;
  return {
    characters,
    charactersBefore,
    length: Math.ceil((bytesEnd * 8) / 6),
    decode: (text) => Buffer.from(text, 'base64').toString('latin1', bytesBefore, bytesEnd),
  };
}

/** How many bytes at the end of a chunk must be searched again with the next one: a secret in UTF-32 is longest. */
export const scanOverlap = 4 * secretLength;

/**
 * Finds secrets by their checksum, in order: as UTF-8, UTF-16 or UTF-32, and in base64 without line breaks as UTF-8 or UTF-16.
 * Leaves out secrets that end within the first `searchedLength` bytes.
 */
export function secretsIn(bytes: Buffer, searchedLength = 0): FoundSecret[] {
  const plainWidths = bytes.includes(0) ? [1, 2, 4] : [1];
  const base64Widths = hasWideText(bytes) ? [1, 2] : [1];
  const secrets = [
    ...plainWidths.flatMap((width) => markedSecrets(bytes, plainMark, width)),
    ...base64Widths.flatMap((width) =>
      base64Marks.flatMap((mark) => markedSecrets(bytes, mark, width)),
    ),
  ];
  return secrets
    .filter(({ endOffset }) => endOffset > searchedLength)
    .sort((one, other) => one.offset - other.offset);
}

/** The secrets at a mark whose characters are `width` bytes wide; either byte order pads them with zeros. */
function markedSecrets(bytes: Buffer, mark: Mark, width: number): FoundSecret[] {
  const secrets: FoundSecret[] = [];
  const wideMark = Buffer.from([...mark.characters].join('\0'.repeat(width - 1)), 'latin1');
  for (
    let markOffset = bytes.indexOf(wideMark);
    markOffset !== -1;
    markOffset = bytes.indexOf(wideMark, markOffset + wideMark.length)
  ) {
    const offset = markOffset - mark.charactersBefore * width;
    const endOffset = offset + (mark.length - 1) * width + 1;
    if (offset < 0 || endOffset > bytes.length) continue;

    const wideText = bytes.toString('latin1', offset, endOffset);
    const secret = mark.decode(width === 1 ? wideText : narrowed(wideText, width));
    if (isCompleteSecret(secret)) secrets.push({ offset, endOffset, secret });
  }
  return secrets;
}

function narrowed(wideText: string, width: number): string {
  return [...wideText].filter((_, index) => index % width === 0).join('');
}

/** Less than half of a secret in base64 in UTF-16, so that two samples in a row are in its text. */
const sampleBytes = 50;

/** Whether there may be a secret in UTF-16: base64 is searched for in such bytes alone. */
function hasWideText(bytes: Buffer): boolean {
  let wideSamples = 0;
  for (let offset = 0; offset + 3 < bytes.length; offset += sampleBytes) {
    const isFirstZero = bytes[offset] === 0;
    const isSecondZero = bytes[offset + 1] === 0;
    const isWide =
      isFirstZero !== isSecondZero &&
      (bytes[offset + 2] === 0) === isFirstZero &&
      (bytes[offset + 3] === 0) === isSecondZero;
    wideSamples = isWide ? wideSamples + 1 : 0;
    if (wideSamples === 2) return true;
  }
  return false;
}

/** A rule for gitleaks and for scanners that read its format (TOML); secrets that were drawn have more entropy. */
export const gitleaksRule = [
  '[[rules]]',
  'id = "hkctl-api-key"',
  'description = "API key of hkctl"',
  "regex = '''\\bhk_[0-9A-Za-z]{49}\\b'''",
  'entropy = 4',
  'keywords = ["hk_"]',
].join('\n');
