import type { Role } from '../../core/access/roles.ts';
import type { AuditHead } from '../../core/audit/events.ts';
import type { ClockSamples } from '../../core/port/clock.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { User } from '../../core/port/users.ts';

/** What a restore must know of the store that it replaces, read while no other process can change it. */
export interface PresentStore {
  /** Ids of revoked keys, with the time. */
  revoked: ReadonlyMap<string, number>;
  users: ReadonlyMap<string, { status: User['status']; role: Role }>;
  entities: ReadonlyMap<string, Entity['status']>;
  trail: AuditHead | null;
  /** Whether its trail continues that of the backup: then an entity of the backup that it does not have was removed since. */
  isContinued: boolean;
  clock: ClockSamples | null;
}

/** For a store that is absent or cannot be read, of which only the journal is known. */
export const unknownPresent: PresentStore = {
  revoked: new Map(),
  users: new Map(),
  entities: new Map(),
  trail: null,
  isContinued: false,
  clock: null,
};

/** The states of a store that is replaced, by its rows: revoked keys, all users and all entities. */
export function statesOf(
  revoked: readonly { id: string; atMs: number }[],
  users: readonly Pick<User, 'id' | 'status' | 'role'>[],
  entities: readonly Pick<Entity, 'id' | 'status'>[],
): Pick<PresentStore, 'revoked' | 'users' | 'entities'> {
  return {
    revoked: new Map(revoked.map(({ id, atMs }) => [id, atMs])),
    users: new Map(users.map((user) => [user.id, user])),
    entities: new Map(entities.map(({ id, status }) => [id, status])),
  };
}
