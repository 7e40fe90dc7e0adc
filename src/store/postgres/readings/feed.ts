import { setTimeout as pause } from 'node:timers/promises';
import type { ReadingFeed, StoredReading } from '../../../core/port/readings.ts';
import type { Database } from '../connection/database.ts';
import type { PostgresSession } from '../connection/session.ts';
import { channelOf, followersLock, lookEveryMs, readingsIn } from './writer/announcer.ts';

/**
 * Follows what writers notify, on a connection of its own. Writers notify only while someone holds the lock: with every commit it
 * would slow down all of them. See the port.
 */
export function subscribeToReadings(
  database: Database,
  series: ReadonlySet<number>,
): Promise<ReadingFeed> {
  return new Promise((resolve, reject) => {
    const listening = database.exclusively(async (session) => {
      const channel = channelOf(database.location.schema);
      const feed = await openFeed(session, channel, series);
      await new Promise<void>((stopListening) => {
        const close = async () => {
          stopListening();
          await listening.catch(() => {});
        };
        resolve({ ...feed, close });
      });
      // The connection ends with its lock: another user of it would get the notifications.
      session.destroy('nobody follows any more');
    });
    listening.catch(reject);
  });
}

async function openFeed(
  session: PostgresSession,
  channel: string,
  series: ReadonlySet<number>,
): Promise<Pick<ReadingFeed, 'next'>> {
  let stored: StoredReading[] = [];
  session.onNotification(channel, (payload) => {
    const readings = readingsIn(payload);
    stored.push(...readings.filter((reading) => series.has(reading.series)));
  });
  await session.run(`listen ${channel}`);
  await session.query(`select pg_advisory_lock_shared(${followersLock})`);
  // Until every writer has seen the lock.
  await pause(lookEveryMs);
  return {
    async next() {
      // Also shows that the connection is there: a notification that never comes does not.
      await session.query('select');
      const readings = stored;
      stored = [];
      return { readings, isComplete: true };
    },
  };
}
