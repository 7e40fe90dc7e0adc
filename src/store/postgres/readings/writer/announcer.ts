import { sha256 } from '../../../../core/digest.ts';
import { qualities, type StoredReading } from '../../../../core/port/readings.ts';
import type { Lane } from '../../connection/database.ts';

/** The advisory lock of followers: entities, by whose numbers imports lock, have positive ones. */
export const followersLock = "-2, hashtext(current_schema() || '.followers')";
/** The time for which a writer relies on its last look for such locks. */
export const lookEveryMs = 1000;
/** The most bytes of a notification, of 8000 that the server allows. */
const longestPayload = 7900;

/** A reading as a writer has it: series, instant (µs), value, and the rank of its quality. */
type ReadingRow = readonly [series: number, atUs: number, value: number, quality: number];

export function channelOf(schema: string): string {
  return `hkctl_readings_${sha256(schema, 'hex').slice(0, 16)}`;
}

/** Tells followers what a connection has committed; looks once a second whether there is one. */
export class Announcer {
  readonly #lane: Lane;
  readonly #channel: string;
  #isFollowed = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(lane: Lane, schema: string) {
    this.#lane = lane;
    this.#channel = channelOf(schema);
  }

  /** Must be called before a commit; returns whether its readings are to be announced. */
  async isFollowed(): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < lookEveryMs) return this.#isFollowed;
    this.#lookedAtMs = nowMs;
    const [followedRow] = await this.#lane.query<{ followed: boolean }>(followedSql);
    this.#isFollowed = followedRow?.followed ?? false;
    return this.#isFollowed;
  }

  async announce(rows: readonly ReadingRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#lane.query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [
      this.#channel,
      payloadsOf(rows),
    ]);
  }
}

/** This view shows the signed numbers of an advisory lock as unsigned object ids. */
const followedSql = `select exists (select from pg_locks
  where locktype = 'advisory' and granted
  and classid = (-2::int8 & 4294967295)::oid
  and objid = (hashtext(current_schema() || '.followers')::int8 & 4294967295)::oid
  and database = (select oid from pg_database where datname = current_database())) as followed`;

function payloadsOf(rows: readonly ReadingRow[]): string[] {
  const payloads: string[] = [];
  let payload = '';
  for (const row of rows) {
    const rowText = row.join(' ');
    if (payload.length + rowText.length >= longestPayload) {
      payloads.push(payload);
      payload = '';
    }
    payload = payload === '' ? rowText : `${payload},${rowText}`;
  }
  return [...payloads, payload];
}

/** The readings of a notification. */
export function readingsIn(payload: string): StoredReading[] {
  const rowTexts = payload.split(',');
  return rowTexts.map((rowText) => {
    const [series = 0, atUs = 0, value = 0, quality = 0] = rowText.split(' ').map(Number);
    const qualityName = qualities[quality - 1] ?? null;
    return { series, atUs, value, quality: qualityName };
  });
}
