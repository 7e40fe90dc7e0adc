import type { Domain } from '../domain/domain.ts';
import type { AuditHead } from '../port/audit.ts';
import type { MaybePromise } from '../port/maybe-promise.ts';
import type { Stop } from '../port/stops.ts';
import type { Store } from '../port/store.ts';
import { dayMs } from '../time/spans.ts';

/** Facts by which people recognise a backup before it is read completely. */
export interface BackupHead {
  createdAtMs: number;
  keys: number;
  auditRecords: number;
  bytes: number;
}

/** The target of a backup: the path of a file, or a stream, such as standard output. */
export type BackupTarget = string | { write(bytes: Uint8Array): void };

/** The source of a backup: the path of a file, or the bytes of a stream, such as standard input. */
export type BackupOrigin = string | AsyncIterable<Uint8Array>;

/** SHA-256 of the rows and the schema of a backup: `sha256:` and 64 hexadecimal digits. */
export type BackupDigest = string;

/** The backups of one store in a folder, in which other stores may have backups, too. */
export interface BackupSeries {
  /** The number of the next backup: higher than every number in the folder. */
  nextNumber: number;
  /** Removes the oldest backups beyond the number to keep, but never `newest`; returns their paths. */
  removeOld(newest: string, keep: number): string[];
}

/** The name of a backup in a series: `hkctl-20261122T023000Z-3f9a2c1b.backup.gz`. */
export function backupName(atMs: number, storeId: string): string {
  return `hkctl-${compactInstant(atMs)}-${storeId}.backup.gz`;
}

/** Whether a file has such a name, or one of an earlier version, which did not compress. */
export function isBackupName(fileName: string, storeId: string): boolean {
  return /^hkctl-\d{8}T\d{6}Z-([0-9a-f]{8})\.backup(?:\.gz)?$/.exec(fileName)?.[1] === storeId;
}

export function isCompressedName(fileName: string): boolean {
  return /\.gz$/i.test(fileName);
}

/** The first characters of the hash of the first audit record, which no two stores share. */
export async function storeIdOf(store: Pick<Store, 'audit'>): Promise<string> {
  for await (const { hash } of store.audit.walk()) {
    return hash.slice(0, 8);
  }
  return '00000000';
}

/** An instant in UTC for a file name: `20261122T023000Z`. */
export function compactInstant(instantMs: number): string {
  const secondsText = new Date(instantMs).toISOString().slice(0, 19);
  return `${secondsText.replace(/[-:]/g, '')}Z`;
}

export interface WrittenBackup extends BackupHead {
  digest: BackupDigest;
}

export interface RestoreOutcome {
  facts: BackupHead;
  /** Undefined for a backup of a version before 0.2.0, which carries none. */
  digest: BackupDigest | undefined;
  kept: readonly Stop[];
}

/** Facts about a restore for the audit trail. */
export interface RestoreRecord {
  kept: readonly Stop[];
  /** The head of the replaced trail; null if it could not be read. */
  replaced: AuditHead | null;
  digest: BackupDigest | undefined;
}

export interface RestoreHooks {
  /** Checks the actor's permission in the present store or, if none can be opened, in the restored one; throws to refuse. */
  authorize(store: Store): MaybePromise<void>;
  /** Called before anything of the backup is read; throws if nobody could confirm. `isThere`: whether a store is replaced. */
  requireConfirmable?(isThere: boolean): void;
  /** Called before anything is replaced; throws to refuse. `isThere`: whether a store is replaced. */
  confirm(head: BackupHead, isThere: boolean): MaybePromise<void>;
  /** Appends the events of the restore. */
  audit(store: Store, restored: RestoreRecord): MaybePromise<void>;
  /** Receives how much of the backup was copied, from 0 to 1. */
  progress?(share: number): void;
}

/** A backup older than this needs attention; also a store of this age that was never backed up. */
const backupOldMs = 7 * dayMs;

/** The time of the last backup, null for never. More than a day ahead it is that of a wrong clock, and counts as old. */
export async function lastBackup({
  store,
  clock,
}: Pick<Domain, 'store' | 'clock'>): Promise<{ atMs: number | null; isOld: boolean }> {
  const atMs = (await store.audit.lastDoneMs('store.backup')) ?? null;
  const [firstTenant] = await store.tenants.list();
  const ageMs = clock() - (atMs ?? firstTenant?.createdAtMs ?? 0);
  return { atMs, isOld: ageMs > backupOldMs || ageMs < -dayMs };
}
