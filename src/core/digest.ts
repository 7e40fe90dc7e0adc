/** SHA-256 of a text. `node:crypto` is loaded on first use. */
export function sha256(text: string, encoding: 'hex' | 'base64url'): string {
  nodeCrypto ??= process.getBuiltinModule('node:crypto');
  return nodeCrypto.hash('sha256', text, encoding);
}

/** CRC-32 (IEEE 802.3) of a text in UTF-8. */
export function crc32(text: string): number {
  nodeZlib ??= process.getBuiltinModule('node:zlib');
  return nodeZlib.crc32(text);
}

let nodeCrypto: typeof import('node:crypto') | undefined;
let nodeZlib: typeof import('node:zlib') | undefined;
