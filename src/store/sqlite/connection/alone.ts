import { HkctlError, isHkctlError } from '../../../core/errors.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import { translating } from '../../sqlite-database/errors.ts';
import { pause } from './daemon-lock.ts';
import { openFile } from './files.ts';

/** How long to wait for commands that have the store open for a moment. */
const aloneWaitsMs = 3000;

/**
 * Opens a database of the store at a path once no other process has it open, and keeps them out until it is closed; `lock` runs the
 * statements that need it alone. Throws `state_forbids` while another process has it open.
 */
export function openAlone(file: string, path: string, lock: (connection: Connection) => void): Connection {
  for (const deadlineMs = performance.now() + aloneWaitsMs; ; pause()) {
    let connection: Connection | undefined;
    try {
      connection = openFile(file, { busyTimeoutMs: 0 });
      const held = connection;
      translating(path, () => {
        held.pragma('main.locking_mode = exclusive');
        lock(held);
      });
      return connection;
    } catch (thrown) {
      connection?.close();
      if (!isHkctlError(thrown) || thrown.code !== 'store_locked') throw thrown;
      if (performance.now() < deadlineMs) continue;
      throw new HkctlError('state_forbids', `Another process has the store ${path} open; nothing was changed.`, {
        hint: 'Stop the daemon and every other hkctl, and try again.',
        cause: thrown,
      });
    }
  }
}
