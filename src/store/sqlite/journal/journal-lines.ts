import { type Role, roleNames } from '../../../core/access/roles.ts';

/** A key that is about to be revoked, as the journal names it. */
export interface Revocation {
  atMs: number;
  keyId: string;
  prefix: string;
  secretHash: string;
}

/** What the journal says of a key; a note is withdrawn where its commit failed. */
export type KeyEvent = 'revoked' | 'withdrawn';

/** What the journal says of a profile or a site: that it was stopped, or was started again. */
export type StateEvent = 'deactivated' | 'activated' | 'removed' | `role:${Role}`;

/** A change of a profile or a site, as the journal names it. `name` is its login or code, for people who read the file. */
export interface StateNote {
  atMs: number;
  event: StateEvent;
  of: 'user' | 'entity';
  id: string;
  name: string;
}

/** The last word of a journal on one profile or site, and when it was written. */
export interface LastWord<Event> {
  event: Event;
  atMs: number;
}

/** The last words of a journal; notes that were withdrawn do not count. */
export interface JournalWords {
  /** Ids of revoked keys, with the time. */
  keys: ReadonlyMap<string, number>;
  /** By id: whether a profile may act. */
  userStatus: ReadonlyMap<string, LastWord<'deactivated' | 'activated'>>;
  userRole: ReadonlyMap<string, LastWord<Role>>;
  entities: ReadonlyMap<string, LastWord<'deactivated' | 'activated' | 'removed'>>;
  /** How many lines a power cut left in half. */
  torn: number;
}

/** The line of a key: `TIME revoked ID PREFIX HASH`. */
export function keyLine(event: KeyEvent, { atMs, keyId, prefix, secretHash }: Revocation): string {
  return `${new Date(atMs).toISOString()} ${event} ${keyId} ${prefix} ${secretHash}\n`;
}

/** The line of a profile or a site: `TIME EVENT user ID LOGIN`, `TIME EVENT entity ID CODE`. */
export function stateLine({ atMs, event, of, id, name }: StateNote): string {
  return `${new Date(atMs).toISOString()} ${event} ${of} ${id} ${inOneWord(name)}\n`;
}

/** The line that takes one back: that of `withdrawn:EVENT`. */
export function withdrawnStateLine({ atMs, event, of, id, name }: StateNote): string {
  return `${new Date(atMs).toISOString()} withdrawn:${event} ${of} ${id} ${inOneWord(name)}\n`;
}

/** A name out of a store that somebody tampered with must not begin a line of its own. */
function inOneWord(name: string): string {
  return name.replace(/[^!-~]/g, '?') || '?';
}

/** Reads a journal. A line that a power cut left in half names no time or nothing whole, and does not count. */
export function readJournalWords(journal: string): JournalWords {
  const keys = new Map<string, number>();
  const userStatus = new History<'deactivated' | 'activated'>();
  const userRole = new History<Role>();
  const entities = new History<'deactivated' | 'activated' | 'removed'>();
  let torn = 0;
  for (const line of journal.split('\n')) {
    const [at = '', said = '', third = '', id = ''] = line.split(' ');
    const atMs = Date.parse(at);
    const event = said.replace(/^withdrawn:/, '');
    const isWithdrawn = event !== said;
    if (keyPattern.test(line)) {
      if (said === 'revoked') keys.set(third, atMs);
      else keys.delete(third);
    } else if (statePattern.test(line)) {
      const role = roleNames.find((name) => event === `role:${name}`);
      if (third === 'user' && role) userRole.note(id, role, atMs, isWithdrawn);
      else if (event === 'deactivated' || event === 'activated') {
        (third === 'user' ? userStatus : entities).note(id, event, atMs, isWithdrawn);
      } else if (third === 'entity' && event === 'removed') entities.note(id, event, atMs, isWithdrawn);
      else torn++;
    } else if (line !== '') torn++;
  }
  return { keys, userStatus: userStatus.last(), userRole: userRole.last(), entities: entities.last(), torn };
}

const keyPattern = /^\S+Z (?:revoked|withdrawn) \S{36} hk_\w{5} \S{43}$/;
const statePattern = /^\S+Z (?:withdrawn:)?(?:deactivated|activated|removed|role:\w+) (?:user|entity) \S{36} \S+$/;

/** All words on each of several things, so that a withdrawn one gives way to the one before it. */
class History<Event> {
  readonly #words = new Map<string, LastWord<Event>[]>();

  note(id: string, event: Event, atMs: number, isWithdrawn: boolean): void {
    const words = this.#words.get(id) ?? [];
    if (!isWithdrawn) words.push({ event, atMs });
    else if (words.at(-1)?.event === event) words.pop();
    this.#words.set(id, words);
  }

  last(): Map<string, LastWord<Event>> {
    const last = new Map<string, LastWord<Event>>();
    for (const [id, words] of this.#words) {
      const word = words.at(-1);
      if (word) last.set(id, word);
    }
    return last;
  }
}
