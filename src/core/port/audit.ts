import type { AuditAction } from '../access/roles.ts';
import type { MaybePromise } from './maybe-promise.ts';

export const auditOutcomes = ['done', 'denied', 'failed'] as const;

/** An event before it is appended to the chain. The detail never contains a secret. */
export interface AuditDraft {
  tenantId: string | null;
  atMs: number;
  action: AuditAction;
  actor: { id: string; login: string } | null;
  osAccount: string;
  /** The object of the action: a key's prefix, a login, an entity's code, a resource. */
  target: string;
  outcome: (typeof auditOutcomes)[number];
  detail: Readonly<Record<string, string | number | boolean | null>>;
}

/** An event in the chain. `hash` covers all its fields and the hash of the record before. */
export interface AuditRecord extends AuditDraft {
  seq: number;
  previousHash: string;
  hash: string;
}

/** The end of a chain: the number of its records and the hash of the last one. A head kept elsewhere is an anchor. */
export interface AuditHead {
  count: number;
  hash: string;
}

/** Conditions that select records; a condition that is absent holds for every record. */
export interface AuditFilter {
  /** Both included (epoch ms). */
  sinceMs?: number;
  untilMs?: number;
  /** The login of the profile that acted, or the account of the operating system if it had none. */
  actor?: string;
  action?: AuditAction;
  /** A part of the target; the case of the letters A to Z does not matter. */
  target?: string;
  outcome?: AuditDraft['outcome'];
}

export interface AuditPageRequest extends AuditFilter {
  limit: number;
  /** Adds the records without a tenant. */
  ofStore?: boolean;
  /** By default the newest come first. */
  isOldestFirst?: boolean;
  /** The number of the last record of the page before. */
  after?: number;
}

export interface AuditStore {
  /** Appends an event that belongs to no other change, such as a refused attempt. */
  append(audit: AuditDraft): MaybePromise<void>;
  /** The same for an event that only reads, and so must work on a full disk, too. */
  appendRead(audit: AuditDraft): MaybePromise<void>;
  /** A trail of any length is searched in pieces, so that no statement takes long. */
  list(tenantId: string, page: AuditPageRequest): MaybePromise<AuditRecord[]>;
  /** The highest `seq` ever assigned, kept apart from the records: it differs from the last one's if either was tampered with. */
  lastSeq(): MaybePromise<number>;
  /** Number of records and hash of the last one, as committed now, without a walk through the chain. */
  head(): MaybePromise<AuditHead>;
  /** When an action was last done, by any actor in any tenant; undefined if it never was. */
  lastDoneMs(action: AuditAction): MaybePromise<number | undefined>;
  /** All records of all tenants in order of `seq`, for verification; read in pieces, so that memory stays bounded. */
  walk(): Iterable<AuditRecord> | AsyncIterable<AuditRecord>;
}
