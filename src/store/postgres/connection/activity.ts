/**
 * What the server's process of a connection does: it works on a statement; it waits for something that may never come, such as
 * a lock or a standby; or it waits for this program, which waits for it: what was sent does not arrive.
 */
export type Activity = 'working' | 'waiting' | 'silent';

/** A daemon gives up a statement that waits for so long: its clients get 503 within 2 s. */
export const promptMs = 1200;

/** SQL that reads the activity of a process, whose number is its parameter; no row where it has ended. */
export const activitySql = `select case when state not in ('active', 'disabled') or wait_event_type = 'Client' then 'silent'
    when wait_event_type = 'Lock' or wait_event = 'SyncRep' or state = 'disabled' then 'waiting' else 'working' end as activity
  from pg_stat_activity where pid = $1`;
