import { jsonIn } from '../fields/exact-numbers.ts';
import type { AuditHead, AuditRecord } from '../port/audit.ts';
import type { ChainReport } from './chain.ts';

/** The message under which the daemon writes the head of the audit chain to its log. */
export const anchorMessage = 'audit head';

/** How many anchors there are, and the first that does not match. */
export interface AnchorReport {
  count: number;
  broken: { seq: number; reason: string } | null;
}

/** The audit head that a log line contains, if any: as the daemon writes it, or as a log collector wraps it. */
export function anchorIn(line: string): AuditHead | undefined {
  const start = line.indexOf('{');
  return start === -1 || !line.includes(anchorMessage)
    ? undefined
    : headIn(objectIn(line.slice(start)), 1);
}

/** JSON members in which `journalctl -o json`, docker and others keep the original line. */
const wrappings = ['MESSAGE', 'log', 'message'];

function headIn(entry: Readonly<Record<string, unknown>>, depth: number): AuditHead | undefined {
  const { msg, count, head } = entry;
  if (
    msg === anchorMessage &&
    isCount(count) &&
    typeof head === 'string' &&
    /^[0-9a-f]{64}$/.test(head)
  ) {
    return { count, hash: head };
  }
  const inner = wrappings
    .map((name) => entry[name])
    .find((text) => typeof text === 'string' && text.includes('{'));
  return depth === 0 || typeof inner !== 'string'
    ? undefined
    : headIn(objectIn(inner.slice(inner.indexOf('{'))), 0);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Lines of other programs, and lines that a power failure cut off, become an empty object. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value = jsonIn(text, JSON.parse);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Audit heads that were kept outside the store; its chain is compared with them record by record. */
export class Anchors {
  readonly #hashes = new Map<number, Set<string>>();
  #last = 0;
  #broken: AnchorReport['broken'] = null;

  add({ count, hash }: AuditHead): void {
    this.#last = Math.max(this.#last, count);
    this.#hashes.set(count, (this.#hashes.get(count) ?? new Set()).add(hash));
  }

  get count(): number {
    let count = 0;
    for (const hashes of this.#hashes.values()) count += hashes.size;
    return count;
  }

  watch({ seq, hash }: Pick<AuditRecord, 'seq' | 'hash'>): void {
    const knownHashes = this.#hashes.get(seq);
    if (knownHashes === undefined || (knownHashes.size === 1 && knownHashes.has(hash))) return;
    this.#broken ??= { seq, reason: 'another record was here when the log was written' };
  }

  /** The result, after every record of an intact chain, or every record before the break of a broken one, was compared. */
  report({ records, broken }: Pick<ChainReport, 'records' | 'broken'>): AnchorReport {
    const isCut = broken === null && this.#last > records;
    const cut = isCut
      ? { seq: records + 1, reason: `the log names records up to ${this.#last}, which are missing` }
      : null;
    return { count: this.count, broken: this.#broken ?? cut };
  }
}
