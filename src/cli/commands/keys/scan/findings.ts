import type { FoundSecret } from '../../../../core/keys/leak-scan.ts';
import type { FoundKey, FoundKeys } from './found-keys.ts';
import { mostListed, type Piece, type Place } from './secret-scan.ts';

/** A secret in a file: the place where it occurs first, how often it occurs, and its key if the store has it. */
export interface Finding extends Place {
  path: string;
  secret: string;
  count: number;
  found: FoundKey | undefined;
}

/**
 * All findings of a scan, one for each secret and file. At most {@link mostListed} with a key and as many without are
 * listed, and at least one of each key, so that neither a long log nor a file of made-up secrets hides a key or fills the memory.
 */
export class Findings {
  readonly listed: Finding[] = [];
  /** How often any secret occurs, and how many of these occurrences belong to no finding that is listed. */
  occurrences = 0;
  unlisted = 0;
  readonly #keys: FoundKeys;
  readonly #listedKeys = new Set<FoundKey>();
  readonly #listedOf = { known: 0, unknown: 0 };
  /** Those of the present file, by their secret. */
  #here = new Map<string, Finding>();

  constructor(keys: FoundKeys) {
    this.#keys = keys;
  }

  /** Counts an occurrence. Returns its finding if it is the first in its file, or if it is not listed. */
  async add(piece: Piece, occurrence: FoundSecret): Promise<Finding | undefined> {
    const { secret } = occurrence;
    this.occurrences++;
    const before = this.#here.get(secret);
    if (before) {
      before.count++;
      return undefined;
    }
    const found = await this.#keys.find(secret);
    const finding = { path: piece.path, ...piece.placeOf(occurrence), secret, count: 1, found };
    if (this.#mayList(found)) {
      this.#here.set(secret, finding);
      this.listed.push(finding);
    } else this.unlisted++;
    return finding;
  }

  endFile(): Finding[] {
    const ended = [...this.#here.values()];
    if (ended.length > 0) this.#here = new Map();
    return ended;
  }

  #mayList(found: FoundKey | undefined): boolean {
    const kind = found ? 'known' : 'unknown';
    const isFirst = found !== undefined && !this.#listedKeys.has(found);
    if (!isFirst && this.#listedOf[kind] >= mostListed) return false;
    this.#listedOf[kind]++;
    if (found) this.#listedKeys.add(found);
    return true;
  }
}
