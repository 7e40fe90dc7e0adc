import { sha256 } from '../digest.ts';

/** What makes two commands after a rotation the same: giving the same one again repeats it until it has succeeded. */
export interface CommandAfter {
  /** The account that gave it: no account runs what another has left. */
  osAccount: string;
  /** Where the secrets go: a file, a folder, or nothing for standard output. */
  target: string | undefined;
  command: string;
}

export function commandDigest({ osAccount, target, command }: CommandAfter): string {
  return sha256(JSON.stringify([osAccount, target ?? null, command]), 'base64url');
}
