import { jsonIn } from '../fields/exact-numbers.ts';
import type { AuditHead, AuditRecord } from '../port/audit.ts';
import type { ChainReport } from './chain.ts';

/** The message under which the daemon writes the head of the audit chain to its log. */
export const anchorMessage = 'audit head';

/** The number of anchors, and the first record that does not match one. */
interface AnchorReport {
  count: number;
  broken: { seq: number; reason: string } | null;
}

/** The audit head that a log line contains, if any: as the daemon writes it, or as a log collector wraps it. */
export function anchorIn(logLine: string): AuditHead | undefined {
  const jsonStart = logLine.indexOf('{');
  if (jsonStart === -1 || !logLine.includes(anchorMessage)) {
    return undefined;
  }
  return headIn(objectIn(logLine.slice(jsonStart)), 1);
}

/** JSON members in which `journalctl -o json`, docker and others keep the original line. */
const wrapperMembers = ['MESSAGE', 'log', 'message'];

function headIn(entry: Readonly<Record<string, unknown>>, depth: number): AuditHead | undefined {
  const { msg, count, head } = entry;
  if (msg === anchorMessage && isCount(count) && isHash(head)) {
    return { count, hash: head };
  }
  if (depth === 0) return undefined;

  const wrappedLine = wrapperMembers
    .map((memberName) => entry[memberName])
    .find((member) => typeof member === 'string' && member.includes('{'));
  if (typeof wrappedLine !== 'string') return undefined;

  const wrappedJson = wrappedLine.slice(wrappedLine.indexOf('{'));
  return headIn(objectIn(wrappedJson), depth - 1);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/** Lines of other programs, and lines that a power failure cut off, become an empty object. */
function objectIn(jsonText: string): Readonly<Record<string, unknown>> {
  const parsed = jsonIn(jsonText, JSON.parse);
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

/** Audit heads that were kept outside the store; its chain is compared with them record by record. */
export class Anchors {
  readonly #hashes = new Map<number, Set<string>>();
  #last = 0;
  #broken: AnchorReport['broken'] = null;

  add({ count, hash }: AuditHead): void {
    this.#last = Math.max(this.#last, count);
    const hashes = this.#hashes.get(count) ?? new Set();
    this.#hashes.set(count, hashes.add(hash));
  }

  get count(): number {
    let count = 0;
    for (const hashes of this.#hashes.values()) {
      count += hashes.size;
    }
    return count;
  }

  watch({ seq, hash }: Pick<AuditRecord, 'seq' | 'hash'>): void {
    const knownHashes = this.#hashes.get(seq);
    if (knownHashes === undefined) return;

    const isMatching = knownHashes.size === 1 && knownHashes.has(hash);
    if (isMatching) return;
    this.#broken ??= { seq, reason: 'another record was here when the log was written' };
  }

  /** The result, after every record of an intact chain, or every record before the break of a broken one, was compared. */
  report({ records, broken }: Pick<ChainReport, 'records' | 'broken'>): AnchorReport {
    const isTailMissing = broken === null && this.#last > records;
    if (this.#broken || !isTailMissing) {
      return { count: this.count, broken: this.#broken };
    }

    const reason = `the log names records up to ${this.#last}, which are missing`;
    return { count: this.count, broken: { seq: records + 1, reason } };
  }
}
