import { copyFileSync, rmSync } from 'node:fs';
import { openDatabase } from '../../src/store/sqlite/connection/driver.ts';

/** Changes a store behind its back; nobody else may have it open. Gives how to undo that. */
export function tamper(store: string, sql: string): () => void {
  const copy = `${store}.copy`;
  const database = openDatabase(store, {});
  database.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(store, copy);
  database.exec(sql);
  database.close();
  return () => {
    for (const rest of ['-wal', '-shm']) rmSync(store + rest, { force: true });
    copyFileSync(copy, store);
  };
}
