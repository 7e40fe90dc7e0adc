import type { Role } from '../access/roles.ts';

/** A stop that the revocation journal names and a store lacks, as after a restore or in a copy; `name` is the prefix of a key, the login of a user or the code of an entity. */
export interface Stop {
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
