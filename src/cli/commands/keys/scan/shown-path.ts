/** A path as a text; if its bytes are no UTF-8, also these. */
export interface ShownPath {
  path: string;
  bytes?: Buffer;
}

/** A character of UTF-8 (RFC 3629), or any other byte, in a text with one character for each byte. */
const characters =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** A path of any bytes: those that are no UTF-8 are shown as `\xff`. */
export function shownPath(pathBytes: Buffer): ShownPath {
  const pathText = pathBytes.toString();
  if (Buffer.from(pathText).equals(pathBytes)) return { path: pathText };

  const shownText = pathBytes
    .toString('latin1')
    .replace(characters, (character) =>
      character.length === 1 && character > '\x7f'
        ? `\\x${character.charCodeAt(0).toString(16)}`
        : Buffer.from(character, 'latin1').toString(),
    );
  // A copy: names share the memory of a whole listing.
  return { path: shownText, bytes: Buffer.from(pathBytes) };
}

/** A path in JSON: `path_base64` has the bytes of one that is no text. */
export function pathJson({ path, bytes }: ShownPath): Record<string, string> {
  return bytes === undefined ? { path } : { path, path_base64: bytes.toString('base64') };
}
