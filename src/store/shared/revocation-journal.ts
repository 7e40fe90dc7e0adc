import { type Role, roleNames } from '../../core/access/roles.ts';

/** The stop, or the new start, of something. `name` is a prefix, a login or a code, for people who read the file. */
export interface JournalEntry {
  atMs: number;
  event:
    | 'revoked'
    | 'deactivated'
    | 'activated'
    | 'removed'
    | `role:${Role}`
    | `entities:${string}`;
  of: 'key' | 'user' | 'entity';
  id: string;
  name: string;
  secretHash?: string | undefined;
}

export interface LastEvent {
  event: string;
  atMs: number;
  name: string;
  /** The one before it, which counts again if this one is withdrawn. */
  before: LastEvent | undefined;
}

/** The last events in a journal by id; withdrawn entries do not count. */
export interface JournalSummary {
  /** Of keys, users and entities. */
  events: ReadonlyMap<string, LastEvent>;
  /** Of users: which role they were given, such as `role:manager`. */
  roles: ReadonlyMap<string, LastEvent>;
  /** Of users: to which entities they were confined; see {@link entitiesEvent}. */
  entities: ReadonlyMap<string, LastEvent>;
  /** Number of lines that a power cut left incomplete. */
  torn: number;
}

/**
 * The line of a key is `TIME revoked ID PREFIX HASH`, any other line `TIME EVENT user ID LOGIN`. A line with `withdrawn` in place of
 * `revoked`, or with `withdrawn:EVENT`, withdraws an entry whose commit failed.
 */
export function linesOf(entries: readonly JournalEntry[], isWithdrawn = false): string[] {
  return entries.map(({ atMs, event, of, id, name, secretHash }) => {
    const timeText = new Date(atMs).toISOString();
    if (of === 'key') {
      const keyEvent = isWithdrawn ? 'withdrawn' : event;
      return `${timeText} ${keyEvent} ${id} ${name} ${secretHash}\n`;
    }

    const stateEvent = isWithdrawn ? `withdrawn:${event}` : event;
    return `${timeText} ${stateEvent} ${of} ${id} ${name}\n`;
  });
}

/** Parses the text of a journal. A line that a power cut left incomplete matches no pattern and does not count. */
export function readJournal(journal: string): JournalSummary {
  const events = new Map<string, LastEvent>();
  const roles = new Map<string, LastEvent>();
  const entities = new Map<string, LastEvent>();
  const mapOf = (event: string) => {
    if (event.startsWith('role:')) return roles;
    return event.startsWith('entities:') ? entities : events;
  };

  let torn = 0;
  for (const line of journal.split('\n')) {
    const [, timeText = '', word = '', id = '', name = ''] = partsOf(line) ?? [];
    if (id === '' && line !== '') torn++;
    if (id === '') continue;

    const event = word === 'withdrawn' ? 'revoked' : word.replace('withdrawn:', '');
    const eventsById = mapOf(event);
    const lastEvent = eventsById.get(id);
    if (event === word) {
      const atMs = Date.parse(timeText);
      eventsById.set(id, { event, atMs, name, before: lastEvent });
      continue;
    }

    const isWithdrawal = lastEvent?.event === event;
    if (isWithdrawal && lastEvent.before) eventsById.set(id, lastEvent.before);
    else if (isWithdrawal) eventsById.delete(id);
  }
  return { events, roles, entities, torn };
}

/** The event of a user who is confined to entities: `entities:ID,ID`, `entities:none`, or `entities:*` for all of them. */
export function entitiesEvent(entityIds: readonly string[] | null): `entities:${string}` {
  if (entityIds === null) return 'entities:*';
  return entityIds.length === 0 ? 'entities:none' : `entities:${entityIds.join(',')}`;
}

/** The entities of an {@link entitiesEvent}. */
export function entitiesOf({ event }: Pick<LastEvent, 'event'>): readonly string[] | null {
  const idList = event.slice('entities:'.length);
  if (idList === '*') return null;
  return idList === 'none' ? [] : idList.split(',');
}

export function idsIn(journal: string): ReadonlySet<string> {
  const lines = journal.split('\n');
  return new Set(lines.flatMap((line) => partsOf(line)?.[3] ?? []));
}

/** The place in a journal at which the last change begins: its lines have the same time. */
export function startOfLastChange(journal: string): number {
  const wholeLines = journal.slice(0, journal.lastIndexOf('\n') + 1);
  let changeStart = wholeLines.length;
  let changeTime: string | undefined;
  while (changeStart > 0) {
    const lineStart = wholeLines.lastIndexOf('\n', changeStart - 2) + 1;
    const lineTime = wholeLines.slice(lineStart, wholeLines.indexOf(' ', lineStart));
    changeTime ??= lineTime;
    if (lineTime !== changeTime) break;
    changeStart = lineStart;
  }
  return changeStart;
}

/** The lines of another journal about ids that a journal does not name. */
export function linesOnlyIn(other: string, journal: string): string[] {
  const namedIds = idsIn(journal);
  const otherLines = other.split('\n').filter((line) => {
    const id = partsOf(line)?.[3];
    return id !== undefined && !namedIds.has(id);
  });
  return otherLines.map((line) => `${line}\n`);
}

function partsOf(line: string): RegExpExecArray | null {
  return keyPattern.exec(line) ?? statePattern.exec(line);
}

const keyPattern = /^(\S+Z) (revoked|withdrawn) (\S{36}) (hk_\w{5}) \S{43}$/;
const statePattern = new RegExp(
  `^(\\S+Z) ((?:withdrawn:)?(?:deactivated|activated|removed|role:(?:${roleNames.join('|')})|entities:(?:\\*|none|[\\w,-]+))) (?:user|entity) (\\S{36}) (\\S+)$`,
);
