import type { Role } from '../access/roles.ts';

/** A stop that the journal keeps, after a restore or in a copy of a store; `name` is the prefix of a key, the login of a user or the code of an entity. */
export interface KeptStopped {
  kind:
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
