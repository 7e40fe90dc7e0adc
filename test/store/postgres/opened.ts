import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../../../src/core/port/store.ts';
import { engineAt } from '../../../src/store/open.ts';
import { atEndOfFile } from '../../ends.ts';
import { storeOptions } from '../stores.ts';
import { addressOf, onServer } from './databases.ts';
import { startServer, type TestServer } from './server.ts';

const options = { ...storeOptions, clock: Date.now };

/** Opens a store as a daemon does, or as a command, until the end of the file of tests. */
export async function opened(address: string, daemon = true): Promise<Store> {
  const store = await engineAt(address, options).open();
  atEndOfFile(async () => store.close());
  if (daemon) {
    await store.daemon.begin();
    await store.openAll();
  }
  return store;
}

/** Calls until the result is as wished, or gives the last one after 15 s. */
export async function until<T>(call: () => Promise<T>, isDone: (result: T) => boolean): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const result = await call();
    if (isDone(result) || Date.now() > end) return result;
    await pause(25);
  }
}

/** The version, or the code of the error. */
export async function versionOrCode(store: Store): Promise<number | string> {
  try {
    return await store.keys.changeCounter();
  } catch (thrown) {
    return (thrown as { code: string }).code; // an HkctlError, compared below
  }
}

/** A server of its own with an empty store; tests stop and freeze it. */
export async function ownServer(
  ...settings: string[]
): Promise<{ server: TestServer; address: string }> {
  const server = await startServer(settings);
  atEndOfFile(server.stop);
  await onServer(server.address, 'create database plant template template0');
  const address = addressOf(server.address, 'plant');
  await (await engineAt(address, options).create()).close();
  return { server, address };
}
