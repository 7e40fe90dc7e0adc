import type { FileLock } from '../../../core/port/store.ts';
import type { Database } from '../connection/database.ts';

/** Entities, by whose numbers imports lock, have positive ones. */
const lockKey = "-1, hashtext(current_schema() || '.files')";

/** Takes an advisory lock on a connection of its own; undefined while another process holds it. */
export function lockFiles(database: Database): Promise<FileLock | undefined> {
  return new Promise((resolve, reject) => {
    const holding = database.exclusively(async (session) => {
      const lockRows = await session.query<{ taken: boolean }>(
        `select pg_try_advisory_lock(${lockKey}) as taken`,
      );
      if (lockRows[0]?.taken !== true) return resolve(undefined);

      await new Promise<void>((endHolding) => {
        // If no answer comes the connection is gone, and the lock with it.
        const isHeld = () =>
          session.query('select').then(
            () => true,
            () => false,
          );
        const release = async () => {
          endHolding();
          await holding.catch(() => {});
        };
        resolve({ isHeld, release });
      });
      if (session.isOpen) await session.query(`select pg_advisory_unlock(${lockKey})`);
    });
    holding.catch(reject);
  });
}
