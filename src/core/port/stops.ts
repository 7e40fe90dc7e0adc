import type { Role } from '../access/roles.ts';

/** What the journal of stops keeps stopped, after a restore or in a copy of a store; `name` is the prefix of a key, the login of a user or the code of an entity. */
export interface KeptStopped {
  what:
    | 'revoked_key'
    | 'deactivated_user'
    | 'demoted_user'
    | 'confined_user'
    | 'deactivated_entity'
    | 'removed_entity';
  id: string;
  tenantId: string;
  name: string;
  atMs: number;
  role?: Role;
  /** Of a confined user: the entities that are left. */
  entityIds?: readonly string[];
}
