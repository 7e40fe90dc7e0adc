import { verifyTrail } from '../../core/audit/chain.ts';
import type { BackupHead } from '../../core/operations/backups.ts';
import type { AuditRecord } from '../../core/port/audit.ts';
import { nounFor } from '../../core/text/words.ts';
import { toRecord } from '../shared/registry/audit.ts';
import { statement } from '../shared/registry/statements.ts';
import { faultsOfChunks, faultsOfDaySums } from '../sqlite-file/chunks/verification.ts';
import type { Connection } from '../sqlite-file/driver.ts';
import { toDomainError, translating } from '../sqlite-file/errors.ts';
import { firstWithDaySums } from '../sqlite-file/schema/schema-versions.ts';
import { sqliteBuilder } from '../tables/kits/sqlite.ts';
import { audit } from '../tables/sqlite/registry.ts';
import { creationOf, type OpenBackup } from './format.ts';

/** Reads the facts by which people can recognise a backup. */
export function readHead(
  { connection, damaged }: OpenBackup,
  shown: string,
): Omit<BackupHead, 'bytes'> {
  return translating(shown, () => {
    const countRows = (table: string) => {
      const countQuery = connection.prepare(`select count(*) from ${table}`);
      return Number(countQuery.pluck().get());
    };

    const createdAtMs = creationOf(connection);
    if (createdAtMs === undefined) throw damaged('it names no time at which it was made');
    return { createdAtMs, keys: countRows('keys'), auditRecords: countRows('audit') };
  });
}

/** Checks every page, reference, chunk and audit record of a backup; `store_corrupt` if it is damaged. */
export async function verifyBackup(backup: OpenBackup, shown: string): Promise<void> {
  const { connection, damaged } = backup;
  try {
    const fault = faultOfRows(backup);
    if (fault !== undefined) throw damaged(fault);

    const { broken } = await verifyTrail(trailIn(connection));
    if (broken !== null) throw damaged(`audit record ${broken.seq}: ${broken.reason}`);
  } catch (thrown) {
    if (thrown instanceof SyntaxError)
      throw damaged('an audit record has details that are not JSON');
    throw toDomainError(thrown, shown);
  }
}

function faultOfRows({ connection: backup, versions }: OpenBackup): string | undefined {
  const damage = backup.pragma('integrity_check(1)', { simple: true });
  if (damage !== 'ok') return String(damage);

  const looseRows = backup.prepare('pragma foreign_key_check').all();
  if (looseRows.length > 0)
    return `${looseRows.length} ${nounFor(looseRows.length, 'row')} without the row to which it refers`;

  const [faultOfChunk] = faultsOfChunks(backup);
  if (faultOfChunk !== undefined || versions.readings < firstWithDaySums) return faultOfChunk;
  const [faultOfSums] = faultsOfDaySums(backup);
  return faultOfSums;
}

const recordsInOrder = statement(() => sqliteBuilder.select().from(audit).orderBy(audit.seq));

function trailIn(backup: Connection): Parameters<typeof verifyTrail>[0] {
  const { text, rowOf } = recordsInOrder();
  const recordRows = backup.prepare<[], unknown[]>(text).raw();
  const lastSeq = backup
    .prepare<[], number>("select seq from sqlite_sequence where name = 'audit'")
    .pluck();
  return {
    lastSeq: () => lastSeq.get() ?? 0,
    *walk(): Generator<AuditRecord> {
      for (const row of recordRows.iterate()) yield toRecord(rowOf(row));
    },
  };
}
