/** What a store must hold. */
export interface State {
  /** What each record of the trail is about, in any order: what an import leaves behind may be recorded later. */
  trail: readonly string[];
  /** The names of parts by id. */
  records: ReadonlyMap<string, string>;
  /** Values by instant. */
  readings: ReadonlyMap<number, number>;
  /** Whether each key was revoked, by prefix. */
  keys: ReadonlyMap<string, boolean>;
}

/** A backup, with what it must hold. */
export interface KeptBackup {
  file: string;
  state: State;
  /** What the journal in it names as revoked. */
  stopped: ReadonlySet<string>;
}

/** A place for a store: a path or an address. */
export interface Place {
  location: string;
  state: State | undefined;
  /** The keys that were ever revoked at this place, which no restore may bring back. */
  stopped: ReadonlySet<string>;
}

/** The state after an import of parts, each with a name. */
export function imported(state: State, rows: ReadonlyMap<string, string>, replace: boolean): State {
  const records = new Map([...(replace ? [] : state.records), ...rows]);
  return { ...state, records, trail: [...state.trail, 'records.import'] };
}

/** The state after readings at some instants; the first one at an instant stays. */
export function appended(state: State, rows: ReadonlyMap<number, number>): State {
  return { ...state, readings: new Map([...rows, ...state.readings]) };
}

/** The state after a change of a key. */
export function withKey(state: State, prefix: string, isRevoked: boolean): State {
  const event = `${isRevoked ? 'key.revoke' : 'key.create'} ${prefix}`;
  return {
    ...state,
    keys: new Map([...state.keys, [prefix, isRevoked]]),
    trail: [...state.trail, event],
  };
}

/** The state that a restore leaves at a place: what was stopped there stays stopped, and the trail says so. */
export function restored({ stopped }: Place, backup: KeptBackup): State {
  const { state } = backup;
  const again = [...state.keys].filter(([prefix, isRevoked]) => !isRevoked && stopped.has(prefix));
  return {
    ...state,
    keys: new Map([...state.keys, ...again.map(([prefix]) => [prefix, true] as const)]),
    trail: [...state.trail, 'store.restore', ...again.map(([prefix]) => `key.revoke ${prefix}`)],
  };
}

/** The prefixes of revoked keys. */
export function revokedIn({ keys }: State): string[] {
  return [...keys].filter(([, isRevoked]) => isRevoked).map(([prefix]) => prefix);
}
