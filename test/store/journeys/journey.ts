import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { steadyClocks } from '../../../src/core/domain/steady-clock.ts';
import type { RestoreHooks } from '../../../src/core/operations/backups.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { isStoreAddress } from '../../../src/core/store-address.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { sensors } from '../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../src/store/open.ts';
import { filesOf } from '../../../src/store/sqlite/connection/files.ts';
import { batchOf } from '../conformance/readings/readings.ts';
import { importInto } from '../conformance/records/stored-records.ts';
import { draftOf, newKey, nowMs, type Plant, plantIn, storeOptions } from '../stores.ts';
import { compare, found } from './comparison.ts';
import {
  appended,
  imported,
  type KeptBackup,
  type Place,
  restored,
  revokedIn,
  type State,
  withKey,
} from './model.ts';
import type { Step } from './steps.ts';
import { importUnfinished } from './unfinished-import.ts';

type Change<What extends Step['what']> = Extract<Step, { what: What }>;

/** Carries out a step in a process that is killed after some time, instead of in this one. */
export interface Killed {
  import(
    location: string,
    rows: ReadonlyMap<string, string>,
    replace: boolean,
    afterMs: number,
  ): Promise<void>;
  revoke(location: string, prefix: string, afterMs: number): Promise<void>;
  backup(location: string, file: string, afterMs: number): Promise<void>;
  restore(location: string, file: string, afterMs: number): Promise<void>;
}

/** Stores at several places, among which backups move, and what each of them must hold. */
export class Journey {
  readonly #places: Place[];
  readonly #folder: string;
  readonly #killed: Killed | undefined;
  readonly #backups: KeptBackup[] = [];
  /** The records that sync tokens of each timeline and instant stand for: two different sets must never share one. */
  readonly #marked = new Map<string, string>();
  readonly #seenMs = new Map<string, number>();
  #plant: Plant | undefined;
  #number = 0;
  #nowMs = nowMs;
  #upMs = 1e9;

  constructor(locations: readonly string[], folder: string, killed?: Killed) {
    this.#places = locations.map((location) => ({
      location,
      state: undefined,
      stopped: new Set(),
    }));
    this.#folder = folder;
    this.#killed = killed;
  }

  /** Makes the store at the first place, and then takes all steps. After each one every store is as it must be. */
  async run(steps: readonly Step[]): Promise<void> {
    const [first] = this.#places;
    if (!first) throw new Error('a journey needs a place');
    const store = await engineAt(first.location, this.#options).create();
    try {
      this.#plant = await plantIn(store);
      await importInto(store, this.#plant, sensors, [
        { id: 'S-1', code: 'T1', name: 'One', is_active: true },
      ]);
    } finally {
      await store.close();
    }
    const trail = ['store.init', 'records.import'];
    first.state = { trail, records: new Map(), readings: new Map(), keys: new Map() };
    for (const step of steps) {
      this.#upMs += 1000;
      this.#nowMs += 1000;
      await this.#take(step);
    }
    for (const place of this.#places) await this.#compare(place);
  }

  async #take(step: Step): Promise<void> {
    if (step.what === 'wait') {
      this.#nowMs += step.minutes * 60_000;
      this.#upMs += step.minutes * 60_000;
      return;
    }
    if (step.what === 'jump') {
      this.#nowMs += step.days * 86_400_000;
      return;
    }
    const place = this.#places[step.place % this.#places.length];
    if (!place) return;
    if (step.what === 'restore') return this.#restore(place, step);
    const { state } = place;
    if (!state) return;
    if (step.what === 'import') await this.#import(place, state, step);
    if (step.what === 'append') await this.#append(place, state, step);
    if (step.what === 'create') await this.#create(place, state);
    if (step.what === 'revoke') await this.#revoke(place, state, step);
    if (step.what === 'backup') await this.#backup(place, state, step);
    // An event that waits to be moved into the trail must also come through a backup.
    if (step.what !== 'import' || step.kill === 0) await this.#compare(place);
  }

  async #import(
    place: Place,
    state: State,
    { ids, replace, kill }: Change<'import'>,
  ): Promise<void> {
    const name = `made by step ${++this.#number}`;
    const rows = new Map(ids.map((id) => [`P-${id}`, name]));
    const after = imported(state, rows, replace);
    if (this.#isKilled(place, kill)) {
      await this.#killed?.import(place.location, rows, replace, kill);
      place.state = await this.#found(place, [state, after]);
      return;
    }
    const values = [...rows].map(([id, name]) => ({ id, name, part_number: id, is_active: true }));
    place.state = after;
    const options = { replace, nowUs: this.#nowMs * 1000 };
    if (kill === 0 || isStoreAddress(place.location)) {
      await this.#at(place, (store, plant) => importInto(store, plant, parts, values, options));
      return;
    }
    await importUnfinished(place.location, this.#plantIn, values, options);
  }

  async #append(place: Place, state: State, { instants, value }: Change<'append'>): Promise<void> {
    const rows = new Map(instants.map((instant) => [instant * 60e6, value]));
    const conflicts = [...rows].filter(
      ([at, value]) => (state.readings.get(at) ?? value) !== value,
    ).length;
    const duplicates = [...rows].filter(([at, value]) => state.readings.get(at) === value).length;
    const result = await this.#at(place, async (store, plant) => {
      const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
      return store.readings.append(batchOf([...rows].map(([at, value]) => [series, at, value])));
    });
    expect(result).toMatchObject({ accepted: rows.size - conflicts - duplicates, duplicates });
    expect(result.conflicts).toHaveLength(conflicts);
    place.state = appended(state, rows);
  }

  async #create(place: Place, state: State): Promise<void> {
    const n = ++this.#number;
    const key = await this.#at(place, async (store, plant) => {
      const made = newKey(plant, n, { secretHash: String(n).padStart(43, 'h') });
      await store.keys.insert(made, draftOf(plant.tenant.id, 'key.create', made.prefix));
      return made;
    });
    place.state = withKey(state, key.prefix, false);
  }

  async #revoke(place: Place, state: State, { key: n, kill }: Change<'revoke'>): Promise<void> {
    const active = [...state.keys].filter(([, isRevoked]) => !isRevoked).map(([prefix]) => prefix);
    const prefix = active[n % Math.max(active.length, 1)];
    if (prefix === undefined) return;
    const after = withKey(state, prefix, true);
    if (this.#isKilled(place, kill)) {
      await this.#killed?.revoke(place.location, prefix, kill);
      place.state = await this.#found(place, [state, after]);
      // The journal is written first: a restore may keep stopped what was not stopped yet.
      const { revocations } = filesOf(place.location);
      const isNoted =
        existsSync(revocations) && readFileSync(revocations, 'utf8').includes(` ${prefix} `);
      if (isNoted) place.stopped = new Set([...place.stopped, prefix]);
      return;
    }
    await this.#at(place, async (store, { tenant, user }) => {
      const key = await store.keys.find(tenant.id, prefix);
      const draft = draftOf(tenant.id, 'key.revoke', prefix);
      expect(
        await store.keys.revoke([key?.id ?? randomUUID()], user.id, this.#nowMs, [draft]),
      ).toEqual([]);
    });
    place.state = after;
    place.stopped = new Set([...place.stopped, prefix]);
  }

  async #backup(place: Place, state: State, { kill }: Change<'backup'>): Promise<void> {
    const file = join(this.#folder, `${++this.#number}.backup`);
    const stopped = new Set(place.stopped);
    if (this.#isKilled(place, kill)) {
      await this.#killed?.backup(place.location, file, kill);
      const noted = { ...state, trail: [...state.trail, 'store.backup'] };
      place.state = await this.#found(place, [state, noted]);
      if (place.state === noted) expect(existsSync(file)).toBe(true);
    } else
      await engineAt(place.location, this.#options).backup(file, {
        nowMs: this.#nowMs,
        force: false,
      });
    if (existsSync(file)) this.#backups.unshift({ file, state, stopped });
  }

  async #restore(place: Place, { backup: n, kill }: Change<'restore'>): Promise<void> {
    const backup = this.#backups[n % Math.max(this.#backups.length, 1)];
    if (!backup) return;
    const after = restored(place, backup);
    const before = place.state;
    if (before && this.#isKilled(place, kill)) {
      await this.#killed?.restore(place.location, backup.file, kill);
      place.state = await this.#found(place, [before, after]);
    } else {
      await engineAt(place.location, this.#options).restore(backup.file, this.#hooks);
      place.state = after;
    }
    if (place.state === after) {
      place.stopped = new Set([...place.stopped, ...backup.stopped, ...revokedIn(after)]);
      // What the store has seen of the time before stays seen, but a time of the replaced store may be later.
      if (!before) this.#seenMs.delete(place.location);
    }
    await this.#compare(place);
  }

  async #compare(place: Place): Promise<void> {
    const { location, state } = place;
    if (!state) return;
    const { content, mark, seenMs } = await this.#at(place, (store, plant) =>
      compare(store, plant, state),
    );
    // Two different sets of records never share a sync token, and a time that was seen stays seen.
    expect(this.#marked.get(`${location} ${mark}`) ?? content).toBe(content);
    this.#marked.set(`${location} ${mark}`, content);
    expect(seenMs).toBeGreaterThanOrEqual(this.#seenMs.get(location) ?? 0);
    this.#seenMs.set(location, seenMs);
  }

  /** Which of the states that a killed process may leave is that of the store; both halves of it, or neither. */
  #found(place: Place, possible: readonly [State, ...State[]]): Promise<State> {
    return this.#at(place, (store, plant) => found(store, plant, possible));
  }

  #isKilled({ location }: Place, afterMs: number): boolean {
    return this.#killed !== undefined && afterMs > 0 && !isStoreAddress(location);
  }

  /** Does something with the store at a place, as a process of its own would. */
  async #at<T>(
    { location }: Place,
    work: (store: Store, plant: Plant) => T | Promise<T>,
  ): Promise<T> {
    const store = await engineAt(location, this.#options).open();
    try {
      await steadyClocks(
        store,
        () => this.#nowMs,
        () => this.#upMs,
      );
      return await work(store, this.#plantIn);
    } finally {
      await store.close();
    }
  }

  get #plantIn(): Plant {
    if (!this.#plant) throw new Error('the journey has not begun');
    return this.#plant;
  }

  get #options() {
    return { ...storeOptions, clock: () => this.#nowMs };
  }

  get #hooks(): RestoreHooks {
    return {
      authorize() {},
      confirm() {},
      audit: async (store, { kept }) => {
        const { id } = this.#plantIn.tenant;
        await store.audit.append(draftOf(id, 'store.restore', 'backup'));
        for (const { name } of kept) await store.audit.append(draftOf(id, 'key.revoke', name));
      },
    };
  }
}
