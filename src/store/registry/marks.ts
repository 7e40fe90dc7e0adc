/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

/** SQL that keeps a number under a name. */
export const keepMark =
  'insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';
