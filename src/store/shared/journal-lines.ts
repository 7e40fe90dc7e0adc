import { type Role, roleNames } from '../../core/access/roles.ts';

/** What was stopped, or started again. `name` is a prefix, a login or a code, for people who read the file. */
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
 * The line of a key is `TIME revoked ID PREFIX HASH`, that of others `TIME EVENT user ID LOGIN`. One whose commit failed is withdrawn by
 * a line with `withdrawn` in place of `revoked`, or with `withdrawn:EVENT`.
 */
export function linesOf(entries: readonly JournalEntry[], isWithdrawn = false): string[] {
  return entries.map(({ atMs, event, of, id, name, secretHash }) => {
    const at = new Date(atMs).toISOString();
    if (of === 'key')
      return `${at} ${isWithdrawn ? 'withdrawn' : event} ${id} ${name} ${secretHash}\n`;
    // A line break in a name, which only tampering puts there, must not begin another line of the journal.
    return `${at} ${isWithdrawn ? 'withdrawn:' : ''}${event} ${of} ${id} ${name.replace(/[^!-~]/g, '?') || '?'}\n`;
  });
}

/** Parses the text of a journal. A line that a power cut left incomplete matches no pattern and does not count. */
export function readJournal(journal: string): JournalSummary {
  const events = new Map<string, LastEvent>();
  const roles = new Map<string, LastEvent>();
  const entities = new Map<string, LastEvent>();
  let torn = 0;
  for (const line of journal.split('\n')) {
    const [, at = '', word = '', id = '', name = ''] = partsOf(line) ?? [];
    if (id === '' && line !== '') torn++;
    if (id === '') continue;
    const event = word === 'withdrawn' ? 'revoked' : word.replace('withdrawn:', '');
    const eventsById = event.startsWith('role:')
      ? roles
      : event.startsWith('entities:')
        ? entities
        : events;
    const last = eventsById.get(id);
    if (event === word) eventsById.set(id, { event, atMs: Date.parse(at), name, before: last });
    else if (last?.event === event && last.before) eventsById.set(id, last.before);
    else if (last?.event === event) eventsById.delete(id);
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
  const list = event.slice('entities:'.length);
  if (list === '*') return null;
  return list === 'none' ? [] : list.split(',');
}

/** The ids that the lines of a journal name. */
export function idsIn(journal: string): ReadonlySet<string> {
  return new Set(journal.split('\n').flatMap((line) => partsOf(line)?.[3] ?? []));
}

/** Where the last change begins in a journal: its lines have the same time. */
export function startOfLastChange(journal: string): number {
  const whole = journal.slice(0, journal.lastIndexOf('\n') + 1);
  let start = whole.length;
  let time: string | undefined;
  while (start > 0) {
    const lineStart = whole.lastIndexOf('\n', start - 2) + 1;
    const ofLine = whole.slice(lineStart, whole.indexOf(' ', lineStart));
    time ??= ofLine;
    if (ofLine !== time) break;
    start = lineStart;
  }
  return start;
}

/** The whole lines of a journal, without line breaks. */
export function entriesIn(journal: string): string[] {
  return journal.split('\n').filter(partsOf);
}

/** The journal of a backup may be of a stranger: no line can be written again with what is no instant. */
function partsOf(line: string): RegExpExecArray | undefined {
  const parts = keyPattern.exec(line) ?? statePattern.exec(line);
  return parts && !Number.isNaN(Date.parse(parts[1] ?? '')) ? parts : undefined;
}

const keyPattern = /^(\S+Z) (revoked|withdrawn) (\S{36}) (hk_\w{5}) \S{43}$/;
const statePattern = new RegExp(
  `^(\\S+Z) ((?:withdrawn:)?(?:deactivated|activated|removed|role:(?:${roleNames.join('|')})|entities:(?:\\*|none|[\\w,-]+))) (?:user|entity) (\\S{36}) (\\S+)$`,
);
