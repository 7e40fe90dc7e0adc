import { HkctlError } from '../errors.ts';
import type { ResourceDefinition } from '../fields/fields.ts';
import type { RecordChanges } from '../port/records.ts';
import { canonicalInstant, formatInstantUs, parseInstantUs } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';
import { decoded, fingerprint, writeCursor } from './cursors.ts';
import { wrongValue } from './parameters.ts';

/** The instant of an import: now, but later than the change before, even if the clock was set back. */
export function changeInstant(nowUs: number, changedAt: string): string {
  const nowInstant = formatInstantUs(nowUs);
  return nowInstant > changedAt ? nowInstant : instantAfter(changedAt);
}

/** Whether the last change is dated more than a day ahead: the clock was wrong, and all later ones would be dated after it. */
export function isDatedAhead(nowUs: number, changedAt: string): boolean {
  return changedAt > formatInstantUs(nowUs + dayMs * 1000);
}

/** The first instant after another one; of the empty text, which means "before all changes", itself. */
export function instantAfter(instant: string): string {
  const instantUs = parseInstantUs(instant);
  return instantUs === undefined ? instant : formatInstantUs(instantUs + 1);
}

/** How long a sync token lives (promise 5.4). */
const syncTokenDays = 90;

/** Removals up to this instant may be forgotten: every sync token that needs them has expired a day before. */
export function forgettableInstant(nowUs: number): string {
  return formatInstantUs(nowUs - (syncTokenDays + 2) * dayMs * 1000);
}

/** The moment up to which a client knows the records of a list. */
export interface SyncPoint {
  timeline: string;
  changedAt: string;
}

export interface SyncToken extends SyncPoint {
  /** The day on which it was issued, counted since 1970. */
  day: number;
}

/** Writes a token, which names the day only, so that an unchanged list keeps its ETag for the day. */
export function writeSyncToken(
  listId: string,
  { timeline, changedAt }: SyncPoint,
  nowMs: number,
): string {
  return writeCursor(listId, [timeline, changedAt, dayOf(nowMs)]);
}

/** Reads a token of the same list. Throws `bad_parameter`. */
export function readSyncToken(tokenText: string, listId: string): SyncToken {
  const [tokenList, timeline, changedAt, day, ...rest] = decoded(tokenText) ?? [];
  const isToken =
    typeof timeline === 'string' &&
    isChangedAt(changedAt) &&
    Number.isSafeInteger(day) &&
    rest.length === 0;
  if (!isToken) {
    throw wrongValue(
      'sync_token',
      tokenText,
      'the sync_token of the last page of a list, unchanged',
    );
  }
  if (tokenList !== listId) {
    throw new HkctlError(
      'bad_parameter',
      'This sync_token belongs to another list: send it to the path it came from.',
    );
  }
  return { timeline, changedAt, day: Number(day) };
}

/** Throws `sync_token_expired` if the store can no longer name every change since a token, up to `endInstant`. */
export function requireKnownChanges(
  token: SyncToken,
  { timeline, changedAt, forgottenTo }: RecordChanges,
  nowMs: number,
  endInstant = '',
): void {
  const isOld = dayOf(nowMs) - token.day > syncTokenDays || forgottenTo > token.changedAt;
  const isAhead = token.changedAt > changedAt || endInstant > changedAt;
  if (!isOld && !isAhead && token.timeline === timeline) return;

  const reason = isOld
    ? `is older than ${syncTokenDays} days`
    : 'was issued before the clock was set right or the store was restored';
  throw new HkctlError(
    'sync_token_expired',
    `This sync_token ${reason}: read the whole list again for a new one.`,
  );
}

export function listName(resource: ResourceDefinition, entityId: string): string {
  return fingerprint(['sync', resource.name, entityId]);
}

/** Whether a value from a cursor or token is an instant of `updated_at`, or '' for none. */
export function isChangedAt(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  if (value === '') return true;
  return canonicalInstant(value) === value && Number.isFinite(parseInstantUs(value));
}

/** The day of an instant in UTC, counted from 1970-01-01. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / dayMs);
}
