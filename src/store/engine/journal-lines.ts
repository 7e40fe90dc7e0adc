import { type Role, roleNames } from '../../core/access/roles.ts';

export interface Revocation {
  atMs: number;
  keyId: string;
  prefix: string;
  secretHash: string;
}

/** What the journal records of a key; an entry is withdrawn if its commit failed. */
export type KeyEvent = 'revoked' | 'withdrawn';

/** What the journal records of a user or an entity: that it was stopped, or started again. */
export type StateEvent = 'deactivated' | 'activated' | 'removed' | `role:${Role}`;

/** A change of a user or an entity in the journal. `name` is the login or code, for people who read the file. */
export interface StateEntry {
  atMs: number;
  event: StateEvent;
  of: 'user' | 'entity';
  id: string;
  name: string;
}

export interface LastEvent<Event> {
  event: Event;
  atMs: number;
  name: string;
}

/** The last events in a journal; withdrawn entries do not count. */
export interface JournalSummary {
  /** Ids of revoked keys, with the time. */
  keys: ReadonlyMap<string, number>;
  /** By id: whether a user may act. */
  userStatus: ReadonlyMap<string, LastEvent<'deactivated' | 'activated'>>;
  userRole: ReadonlyMap<string, LastEvent<Role>>;
  entities: ReadonlyMap<string, LastEvent<'deactivated' | 'activated' | 'removed'>>;
  /** Number of lines that a power cut left incomplete. */
  torn: number;
}

/** The line of a key: `TIME revoked ID PREFIX HASH`. */
export function keyLine(event: KeyEvent, { atMs, keyId, prefix, secretHash }: Revocation): string {
  return `${new Date(atMs).toISOString()} ${event} ${keyId} ${prefix} ${secretHash}\n`;
}

/** The line of a user or an entity: `TIME EVENT user ID LOGIN`, `TIME EVENT entity ID CODE`. */
export function stateLine({ atMs, event, of, id, name }: StateEntry): string {
  // A line break in a name, which only tampering puts there, must not begin another line of the journal.
  return `${new Date(atMs).toISOString()} ${event} ${of} ${id} ${name.replace(/[^!-~]/g, '?') || '?'}\n`;
}

/** The line that withdraws an entry: the same with `withdrawn:EVENT`. */
export function withdrawnStateLine(entry: StateEntry): string {
  return stateLine(entry).replace(' ', ' withdrawn:');
}

/** Parses the text of a journal. A line that a power cut left incomplete matches no pattern and does not count. */
export function readJournal(journal: string): JournalSummary {
  const keys = new Map<string, number>();
  const userStatus = new History<'deactivated' | 'activated'>();
  const userRole = new History<Role>();
  const entities = new History<'deactivated' | 'activated' | 'removed'>();
  let torn = 0;
  for (const line of journal.split('\n')) {
    const [at = '', word = '', third = '', id = '', name = ''] = line.split(' ');
    const atMs = Date.parse(at);
    const event = word.replace(/^withdrawn:/, '');
    const isWithdrawn = event !== word;
    if (keyPattern.test(line)) {
      if (word === 'revoked') keys.set(third, atMs);
      else keys.delete(third);
    } else if (statePattern.test(line)) {
      const role = roleNames.find((name) => event === `role:${name}`);
      const add = <Event>(to: History<Event>, event: Event) => to.add(id, { event, atMs, name }, isWithdrawn);
      if (third === 'user' && role) add(userRole, role);
      else if (event === 'deactivated' || event === 'activated') add(third === 'user' ? userStatus : entities, event);
      else if (third === 'entity' && event === 'removed') add(entities, event);
      else torn++;
    } else if (line !== '') torn++;
  }
  return { keys, userStatus: userStatus.last(), userRole: userRole.last(), entities: entities.last(), torn };
}

/** The whole lines of a journal. */
export function entriesIn(journal: string): string[] {
  return journal.split('\n').filter((line) => keyPattern.test(line) || statePattern.test(line));
}

const keyPattern = /^\S+Z (?:revoked|withdrawn) \S{36} hk_\w{5} \S{43}$/;
const statePattern = /^\S+Z (?:withdrawn:)?(?:deactivated|activated|removed|role:\w+) (?:user|entity) \S{36} \S+$/;

/** All events by id, so that a withdrawn one gives way to the one before it. */
class History<Event> {
  readonly #events = new Map<string, LastEvent<Event>[]>();

  add(id: string, last: LastEvent<Event>, isWithdrawn: boolean): void {
    const events = this.#events.get(id) ?? [];
    if (!isWithdrawn) events.push(last);
    else if (events.at(-1)?.event === last.event) events.pop();
    this.#events.set(id, events);
  }

  last(): Map<string, LastEvent<Event>> {
    return new Map([...this.#events].flatMap(([id, events]) => events.slice(-1).map((last) => [id, last] as const)));
  }
}
