import { statSync } from 'node:fs';
import { verifyTrail } from '../../core/audit/chain.ts';
import type { HkctlError } from '../../core/errors.ts';
import type { BackupFacts, BackupHead } from '../../core/operations/backups.ts';
import type { AuditRecord } from '../../core/port/audit.ts';
import { selectRecords } from '../registry/audit.ts';
import { jsonColumns } from '../registry/rows.ts';
import { faultsOfChunks } from '../sqlite-database/chunks/verification.ts';
import { type Connection, withConnection } from '../sqlite-database/driver.ts';
import { toDomainError, translating } from '../sqlite-database/errors.ts';
import { firstWithChunks } from '../sqlite-database/schema/schema-versions.ts';
import { creationOf, damagedBackup, type OpenBackup, openBackup } from './format.ts';
import { columnOfUnknownValue } from './known-values.ts';

/** Reads the metadata of a backup, not all of it. `bad_input` if it is none, `store_too_new` if of a newer hkctl. */
export function readBackupHead(file: string, migrationsFolder: string): BackupHead {
  return withConnection(openBackup(file, migrationsFolder).connection, (backup) =>
    translating(file, () => headIn(backup, file, (what) => damagedBackup(file, what))),
  );
}

/** Checks every page, reference and audit record of a backup and returns its counts; `store_corrupt` if it is damaged. */
export async function readBackup(
  file: string,
  migrationsFolder: string,
  damaged: (what: string) => HkctlError = (what) => damagedBackup(file, what),
): Promise<BackupFacts> {
  const backup = openBackup(file, migrationsFolder);
  try {
    const fault = faultOfRows(backup);
    if (fault !== undefined) throw damaged(fault);
    const chain = await verifyTrail(trailIn(backup.connection));
    if (chain.broken !== null)
      throw damaged(`audit record ${chain.broken.seq}: ${chain.broken.reason}`);
    return { ...headIn(backup.connection, file, damaged), damagedAuditRecords: chain.damaged };
  } catch (thrown) {
    if (thrown instanceof SyntaxError)
      throw damaged('an audit record has details that are not JSON');
    throw toDomainError(thrown, file);
  } finally {
    backup.connection.close();
  }
}

function headIn(
  backup: Connection,
  file: string,
  damaged: (what: string) => HkctlError,
): BackupHead {
  const count = (table: string) =>
    Number(backup.prepare(`select count(*) from ${table}`).pluck().get());
  const createdAtMs = creationOf(backup);
  if (createdAtMs === undefined) throw damaged('it names no time at which it was made');
  return {
    createdAtMs,
    keys: count('keys'),
    auditRecords: count('audit'),
    bytes: statSync(file).size,
  };
}

function faultOfRows({ connection: backup, versions }: OpenBackup): string | undefined {
  const damage = backup.pragma('integrity_check(1)', { simple: true });
  if (damage !== 'ok') return String(damage);
  const loose = backup.prepare('pragma foreign_key_check').all();
  if (loose.length > 0) return `${loose.length} rows refer to rows that are not there`;
  const unknown = columnOfUnknownValue(backup);
  if (unknown !== undefined) return `${unknown} has a value that hkctl does not know`;
  if (versions.readings < firstWithChunks) return undefined;
  // A restore would read all of a log into memory.
  if (backup.prepare('select 1 from log').get() !== undefined)
    return 'it has readings outside of chunks';
  const [fault] = faultsOfChunks(backup);
  return fault;
}

function trailIn(backup: Connection): Parameters<typeof verifyTrail>[0] {
  const record = selectRecords(new Set(jsonColumns));
  const rows = backup.prepare<[], Record<string, unknown>>(
    `select ${record.text} from audit order by seq`,
  );
  const lastSeq = backup
    .prepare<[], number>("select seq from sqlite_sequence where name = 'audit'")
    .pluck();
  return {
    lastSeq: () => lastSeq.get() ?? 0,
    *walk(): Generator<AuditRecord> {
      for (const row of rows.iterate()) yield record.read(row);
    },
  };
}
