import { copyFileSync, rmSync } from 'node:fs';
import { openDatabase } from '../../src/store/sqlite-file/driver.ts';

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

/** Runs SQL on a database as somebody could who writes to the file, also on its schema. */
export function tamperSchema(database: string, sql: string): void {
  const connection = openDatabase(database, {});
  connection.unsafeMode(true);
  connection.exec(`pragma writable_schema = on; ${sql}`);
  connection.close();
}
