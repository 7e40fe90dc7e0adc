import type { AuditDraft, AuditHead, AuditRecord } from './audit/events.ts';
import type { WeekDay } from './time/calendar.ts';
import type { ResourceDefinition } from './records/fields.ts';
import type { ImportBatch } from './records/import-batch.ts';
import type { ClientPermission } from './access/permissions.ts';

import type { Role } from './access/roles.ts';

/**
 * The storage port: types only. Every operation is atomic and takes its audit event along; rules live in the domain, a
 * store only keeps constraints and guards its writes with a WHERE. All times are epoch milliseconds (`…Ms`) or
 * microseconds (`…Us`). Everything read is inside one tenant unless its name says otherwise. Driver errors leave a store
 * as the domain's (`store_locked`, `store_full`, `duplicate` …), never as the driver's.
 */
export interface Store {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  readonly entities: EntityStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly records: RecordStore;
  readonly readings: ReadingStore;
  readonly daemon: DaemonStore;
  readonly clock: ClockStore;
  /** Opens whatever else a command opens when it needs it, and remembers which files those are. For the daemon. */
  openAll(): MaybePromise<void>;
  /**
   * Throws `store_corrupt` where a file of the store was removed, or another one put in its place, since `openAll`: what
   * others write is never seen here from then on. Costs microseconds.
   */
  requireInPlace(): void;
  /** Waits for what is under way, then lets go of all files. */
  close(): MaybePromise<void>;
}

export type MaybePromise<T> = T | Promise<T>;

// --- tenants, users, entities -------------------------------------------------------------------------------------

export interface Tenant {
  id: string;
  name: string;
  weekStart: WeekDay;
  createdAtMs: number;
}

export interface User {
  id: string;
  tenantId: string;
  /** Unique in the store, over all tenants. */
  login: string;
  name: string;
  role: Role;
  status: 'active' | 'inactive';
  createdAtMs: number;
}

export interface Entity {
  id: string;
  tenantId: string;
  code: string;
  name: string;
  timezone: string;
  status: 'active' | 'inactive';
  createdAtMs: number;
}

export interface TenantStore {
  /** All tenants, oldest first. */
  list(): MaybePromise<Tenant[]>;
  find(id: string): MaybePromise<Tenant | undefined>;
  /** Adds an organization with its first user, and its first entity where one is given. `duplicate` for a taken login. */
  insert(tenant: Tenant, admin: User, entity: Entity | undefined, audit: AuditDraft): MaybePromise<void>;
  update(id: string, change: { name?: string; weekStart?: WeekDay }, audit: AuditDraft): MaybePromise<void>;
}

export interface UserStore {
  list(tenantId: string): MaybePromise<User[]>;
  findByLogin(login: string): MaybePromise<User | undefined>;
  insert(user: User, audit: AuditDraft): MaybePromise<void>;
  /**
   * Changes role or status. False, and nothing changed, where that would leave the tenant without an active Super user
   * (judged inside the write, so that two processes cannot do it together).
   */
  update(id: string, change: { role?: Role; status?: User['status'] }, audit: AuditDraft): MaybePromise<boolean>;
}

export interface EntityStore {
  list(tenantId: string): MaybePromise<Entity[]>;
  find(tenantId: string, code: string): MaybePromise<Entity | undefined>;
  insert(entity: Entity, audit: AuditDraft): MaybePromise<void>;
  setStatus(id: string, status: Entity['status'], audit: AuditDraft): MaybePromise<void>;
  /** Removes the entity, its records, sensors, readings and heartbeats; its keys stay, without an entity. */
  remove(id: string, audit: AuditDraft): MaybePromise<void>;
}

// --- keys ---------------------------------------------------------------------------------------------------------

/** A key with what is shown beside it; never the secret. */
export interface Key {
  id: string;
  tenantId: string;
  prefix: string;
  name: string;
  permissions: ClientPermission[];
  entity: { id: string; code: string; name: string; timezone: string; status: Entity['status'] } | null;
  createdBy: { id: string; login: string; name: string };
  createdAtMs: number;
  expiresAtMs: number | null;
  lastUsedAtMs: number | null;
  revokedAtMs: number | null;
  revokedBy: { login: string; name: string } | null;
  rotatedFrom: string | null;
  rotatedTo: string | null;
}

/** A key to be kept: the row, and the hash of its secret (`hashOf`). */
export interface NewKey {
  id: string;
  tenantId: string;
  prefix: string;
  secretHash: string;
  name: string;
  permissions: ClientPermission[];
  entityId: string;
  createdBy: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  rotatedFrom: string | null;
}

/** All that a decision about a call needs, in one read. */
export interface Credential {
  keyId: string;
  prefix: string;
  name: string;
  permissions: ClientPermission[];
  expiresAtMs: number | null;
  revokedAtMs: number | null;
  creatorStatus: User['status'];
  entity: { id: string; code: string; name: string; timezone: string; status: Entity['status'] } | null;
  tenant: { id: string; name: string; weekStart: WeekDay };
}

export interface KeyFilter {
  /** Which states, judged at `nowMs`; empty or absent = all. */
  statuses?: readonly KeyStatus[];
  nowMs: number;
  entityId?: string;
  /** Expires at or before this instant (and is not yet expired). */
  expiringByMs?: number;
  /** Not used since this instant (never used and created before it counts too). */
  unusedSinceMs?: number;
  /** Created before this instant. */
  createdBeforeMs?: number;
  /**
   * Part of name, prefix, entity code or entity name, without regard to case. A text that begins a prefix (`hk_` and at
   * least one character) finds by that alone.
   */
  search?: string;
}

export type KeyStatus = 'Active' | 'Expired' | 'Revoked';

/** The place of a key in a list, newest first; it holds also where the key is not in that list. */
export interface KeyPosition {
  createdAtMs: number;
  id: string;
}

/** A page of a list, newest first: behind a place, from a place on, or right before a place; without any, the first one. */
export interface KeyPageRequest {
  limit: number;
  after?: KeyPosition;
  from?: KeyPosition;
  /** `end`: the last page. */
  before?: KeyPosition | 'end';
}

export interface KeyStore {
  /**
   * A number that changes whenever a key, user, entity or tenant may have changed by another process or thread: a
   * credential read under the same number is still true. About 2 µs.
   */
  version(): MaybePromise<number>;
  /** Keys of a tenant, newest first; a page costs the same at any depth. */
  list(tenantId: string, filter: KeyFilter, page: KeyPageRequest): MaybePromise<Key[]>;
  count(tenantId: string, filter: KeyFilter): MaybePromise<number>;
  /** By id or prefix. */
  find(tenantId: string, ref: string): MaybePromise<Key | undefined>;
  prefixTaken(prefix: string): MaybePromise<boolean>;
  /** Guarded: `entity_inactive` where the entity is not active any more, `duplicate` for a taken prefix. */
  insert(key: NewKey, audit: AuditDraft): MaybePromise<void>;
  /**
   * Revokes the old keys and inserts their successors, all or nothing. Returns the ids of old keys that were not active
   * any more at `nowMs` (then nothing was changed).
   */
  rotate(
    pairs: readonly { oldKeyId: string; next: NewKey }[],
    nowMs: number,
    audit: readonly AuditDraft[],
  ): MaybePromise<string[]>;
  /** Revokes, all or nothing; returns the ids that were not active any more (then nothing was changed). */
  revoke(ids: readonly string[], by: string, nowMs: number, audit: readonly AuditDraft[]): MaybePromise<string[]>;
  /** The credential behind a hash, over all tenants; always as committed at the time of the call, by whatever process. */
  credential(secretHash: string): MaybePromise<Credential | undefined>;
  /** The key a hash belongs to, if it is of this tenant. */
  findByHash(tenantId: string, secretHash: string): MaybePromise<Key | undefined>;
  /** Active keys made by a user or bound to an entity, for the question before either is deactivated. */
  activeOf(owner: { createdBy: string } | { entityId: string }, nowMs: number): MaybePromise<Key[]>;
  /** Notes the time of last use of several keys (key id → epoch ms); never moves it back; no audit. */
  recordUse(uses: ReadonlyMap<string, number>): MaybePromise<void>;
}

// --- audit --------------------------------------------------------------------------------------------------------

export interface AuditStore {
  /** Appends an event that goes with no other change, such as a refused attempt. */
  append(audit: AuditDraft): MaybePromise<void>;
  /** Records of one tenant, newest first; `ofStore` adds those that are of none. */
  list(tenantId: string, range: { sinceMs?: number; limit: number; ofStore?: boolean }): MaybePromise<AuditRecord[]>;
  /**
   * The highest `seq` ever given, as the store notes it beside the records: more than the last record's where the end of the
   * chain was cut off, and less where somebody has set the note back or removed it (then 0).
   */
  lastSeq(): MaybePromise<number>;
  /** How many records the chain holds and the hash of the last one, as committed now; no walk, so that it may be asked often. */
  head(): MaybePromise<AuditHead>;
  /** All records of all tenants in order of `seq`, for verification; in pieces, so that memory stays bounded. */
  walk(): Iterable<AuditRecord> | AsyncIterable<AuditRecord>;
}

// --- records ------------------------------------------------------------------------------------------------------

/** One condition of a page; `from` and `to` are inclusive, `before` is not; values are as stored (dates and instants as text). */
export interface RecordCondition {
  field: string;
  op: 'eq' | 'from' | 'to' | 'before';
  value: string | number | boolean;
}

export interface RecordPageRequest {
  resource: ResourceDefinition;
  entityId: string;
  conditions: readonly RecordCondition[];
  /** The field that orders the page, `id` breaking ties: the field of the first range condition, else `id`. */
  orderBy: string;
  limit: number;
  /** The order value and id of the last record of the page before. */
  after?: RecordPosition;
}

export interface RecordPosition {
  value: string | number;
  id: string;
}

/**
 * A page as JSON text, since it is written far more often than read: records joined by commas, without the brackets. It may
 * hold fewer records than asked for, even none, before the last: an engine looks through a bounded number of them for it.
 */
export interface RecordPage {
  json: string;
  count: number;
  /** Where the next page starts; null at the end. */
  next: RecordPosition | null;
}

export interface ImportSummary {
  inserted: number;
  updated: number;
  unchanged: number;
  removed: number;
}

export interface ImportRequest {
  resource: ResourceDefinition;
  entityId: string;
  /** Also remove what the file lacks. */
  replace: boolean;
  /** Count what would change, change nothing. */
  dryRun: boolean;
  nowUs: number;
  /** In batches; whatever it throws undoes the import. */
  rows: AsyncIterable<ImportBatch> | Iterable<ImportBatch>;
  /** Made once the counts are known; kept in the same commit as the records. */
  audit: (summary: ImportSummary) => AuditDraft;
}

export interface RecordStore {
  page(request: RecordPageRequest): MaybePromise<RecordPage>;
  /** One record with its detail fields as JSON text. */
  get(resource: ResourceDefinition, entityId: string, id: string): MaybePromise<string | undefined>;
  /**
   * A number that changes whenever any record may have changed, by whatever process: what was read under the same number
   * is still true. About 2 µs.
   */
  version(): MaybePromise<number>;
  /**
   * All or nothing; readers see the old set until it ends, and neither they nor ingest wait for it. Throws the domain's
   * `ImportError` with the lines where rows share an `id`, or records a value of a field that is `unique`.
   */
  import(request: ImportRequest): Promise<ImportSummary>;
}

// --- sensors and readings -----------------------------------------------------------------------------------------

/** A sensor as ingest knows it. */
export interface Sensor {
  /** The store's number for it, stable for as long as its readings are kept. */
  series: number;
  id: string;
  code: string;
  unit: string | null;
  isActive: boolean;
}

/** The sensors of one entity, by code and by id (a code wins where both exist). */
export type SensorDirectory = ReadonlyMap<string, Sensor>;

export const qualities = ['good', 'uncertain', 'bad'] as const;
export type Quality = (typeof qualities)[number];

/** Readings in columns, as long as `count`; position in the arrays is the reading's position in the batch. */
export interface ReadingBatch {
  count: number;
  series: Uint32Array;
  /** Epoch µs; whole. */
  atUs: Float64Array;
  value: Float64Array;
  /** 0 = none told, else 1 + the index in {@link qualities}. */
  quality: Uint8Array;
}

/** What became of a batch; positions not named were accepted. */
export interface BatchVerdict {
  accepted: number;
  duplicates: number;
  /** Positions of readings whose sensor and instant are taken by another value. */
  conflicts: readonly number[];
}

export interface Heartbeat {
  series: number;
  atUs: number;
  status: string | null;
  battery: number | null;
  signal: number | null;
  firmware: string | null;
}

export interface Reading {
  atUs: number;
  value: number;
  quality: Quality | null;
}

/** Readings of one bucket: `atUs` is its start; only what was asked for is set. */
export interface ReadingBucket {
  atUs: number;
  avg?: number;
  min?: number;
  max?: number;
  last?: number;
  count?: number;
}

export const aggregates = ['avg', 'min', 'max', 'last', 'count'] as const;
export type Aggregate = (typeof aggregates)[number];

/** Last known state of a sensor. */
export interface SensorState {
  lastReadingAtUs: number | null;
  lastValue: number | null;
  lastHeartbeatAtUs: number | null;
  lastStatus: string | null;
}

export interface ReadingRange {
  series: number;
  /** Inclusive. */
  fromUs?: number;
  /** Exclusive. */
  toUs?: number;
  limit: number;
}

export interface ReadingStore {
  /** The sensors of an entity as imported, each with its series number; kept until a record changes. */
  directory(entityId: string): MaybePromise<SensorDirectory>;
  /** Resolves once the accepted readings are on disk (committed and synced). `unavailable` where the queue is full. */
  append(batch: ReadingBatch): Promise<BatchVerdict>;
  appendHeartbeats(heartbeats: readonly Heartbeat[]): Promise<BatchVerdict>;
  /** In order of time. */
  range(request: ReadingRange): MaybePromise<Reading[]>;
  /** The same as text, or summed up in buckets; however much it is, other requests are answered meanwhile. */
  text(request: ReadingTextRequest, client: ReadingClient): MaybePromise<ReadingText>;
  states(series: readonly number[]): MaybePromise<ReadonlyMap<number, SensorState>>;
}

// --- the daemon's own notes ---------------------------------------------------------------------------------------

export interface DaemonStore {
  /**
   * Makes this process known as a daemon that serves the store, until it clears its address, closes the store or ends, in
   * whatever way. Throws `state_forbids` while a restore replaces the store.
   */
  begin(): MaybePromise<void>;
  /** Notes the address a running daemon answers at, for the curl examples; begins where that was not done. */
  recordAddress(baseUrl: string, pid: number): MaybePromise<void>;
  clearAddress(pid: number): MaybePromise<void>;
  /** The address last noted, while any daemon serves the store, in whatever container. */
  address(): MaybePromise<string | undefined>;
}

// --- the clock ----------------------------------------------------------------------------------------------------

/** What the machine shows at one moment: its clock, and how long it has run, sleep included, which nobody can set. */
export interface ClockSample {
  nowMs: number;
  upMs: number;
}

/** What is known of the machine's clock; 0 = nothing yet. The rule is `afterSample` in clock.ts. */
export interface ClockLooks {
  /** The latest time that was steadily seen. */
  seenMs: number;
  /** The clock minus the uptime (the instant at which the machine started) that counts as steady. */
  steadyStartMs: number;
  /** The same of a clock that was seen to jump and must stay so for a while, and the uptime at which that was first seen. */
  candidateStartMs: number;
  candidateUpMs: number;
}

/** What a daemon knows in memory since it read `fromMs` as the time steadily seen. */
export interface ClockProgress {
  fromMs: number;
  looks: ClockLooks;
}

export interface ClockStore {
  read(): MaybePromise<ClockLooks>;
  /** Notes a sample of the machine's clock, without waiting for another writer (`store_locked`). */
  note(sample: ClockSample): MaybePromise<void>;
  /** Takes over what a daemon knows; that does not count where the clock was accepted meanwhile. */
  bring(progress: ClockProgress): MaybePromise<void>;
  /** Takes a sample for the time steadily seen, though it is behind. */
  accept(sample: ClockSample, audit: AuditDraft): MaybePromise<void>;
}

/** How readings are written for a client: JSON objects with commas between them, or whole lines of NDJSON or CSV. */
export type ReadingFormat = 'json' | 'ndjson' | 'csv';

/** Buckets of `widthUs` that start at multiples of it since the epoch, and what to write of each. */
export interface BucketRequest {
  widthUs: number;
  aggregates: readonly Aggregate[];
}

/** Readings of one series as text or, with `buckets`, summed up; empty buckets are left out. */
export interface ReadingTextRequest extends ReadingRange {
  format: ReadingFormat;
  buckets?: BucketRequest;
}

/** For whom readings are read: engines serve owners round-robin, and the reads of one owner one after the other. */
export interface ReadingClient {
  owner: string;
  /** Aborted when nobody waits for the text any more; the read then rejects with its reason. */
  signal?: AbortSignal;
  /** Called with 0 before anything is read, and then with how many readings each part took; what it throws ends the read. */
  charge(readings: number): void;
}

/**
 * Readings as text in order of time, without what stands before and after them. It may hold fewer rows than asked for, but
 * at least one before the last: an engine looks through a bounded number of readings for it, and through more only for a
 * single bucket.
 */
export interface ReadingText {
  /** What is written, piece after piece. */
  pieces: readonly Uint8Array[];
  /** Rows in it. */
  count: number;
  /** Names the content: another one never has the same. */
  digest: string;
  /** Where the next page starts; null at the end. */
  nextUs: number | null;
}
