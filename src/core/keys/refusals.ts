import type { apiErrors } from '../errors.ts';

/** Every code with which the API refuses a key: 401 or 403. */
type RefusalCode = {
  [Code in keyof typeof apiErrors]: (typeof apiErrors)[Code]['status'] extends 401 | 403
    ? Code
    : never;
}[keyof typeof apiErrors];

export type Refusal = OwnerRefusal | 'key_revoked' | 'key_expired';

/** Why the API refuses a key although it is active: its creator or its entity is inactive or gone. */
export type OwnerRefusal = 'creator_inactive' | 'entity_missing' | 'entity_inactive';

interface RefusalWords {
  /** In the answer of the API, its documents and `keys verify`. */
  detail: string;
  /** On the page, for people who are no programmers. */
  onPage: string;
}

/** The names by which `hkctl doctor` shows a key, quoted for a shell. */
interface RefusedKey {
  prefix: string;
  creator: string;
  entity: string;
}

interface OwnerRefusalWords extends RefusalWords {
  /** In lists and in `hkctl status`. */
  short: string;
  /** In `hkctl doctor`: the reason, and what helps. */
  reason(key: RefusedKey): string;
  remedy(key: RefusedKey): string;
}

/** The words of every refusal, wherever one is shown: a new one does not compile without them. */
export const refusals: Readonly<Record<RefusalCode, RefusalWords>> &
  Readonly<Record<OwnerRefusal, OwnerRefusalWords>> = {
  missing_authorization: {
    detail: 'Send the API key as: Authorization: Bearer hk_…',
    onPage: 'Paste a key first.',
  },
  malformed_authorization: {
    detail: 'The Authorization header is malformed.',
    onPage: 'This is not an API key. A key begins with hk_ and has 52 characters.',
  },
  incomplete_secret: {
    detail: 'This is not a complete API key: it was cut short or mistyped.',
    onPage: 'This key is incomplete. Copy it again: it has 52 characters.',
  },
  unknown_key: {
    detail: 'There is no such API key.',
    onPage: 'This key is not known here. Check that it belongs to this site.',
  },
  key_revoked: {
    detail: 'This API key was revoked.',
    onPage: 'This key was revoked. Ask the administrator for a new one.',
  },
  key_expired: {
    detail: 'This API key has expired.',
    onPage: 'This key has expired. Ask the administrator for a new one.',
  },
  creator_inactive: {
    detail: 'The user profile that created this API key is inactive.',
    onPage: 'This key is refused: the person who created it is no longer active.',
    short: 'creator inactive',
    reason: ({ creator }) => `its creator ${creator} is inactive`,
    remedy: ({ prefix, creator }) =>
      `To make it yours: hkctl keys rotate ${prefix}; or: hkctl users activate ${creator}`,
  },
  entity_missing: {
    detail: 'This API key has no entity any more.',
    onPage: 'This key is refused: its site no longer exists.',
    short: 'entity removed',
    reason: () => 'its entity was removed',
    remedy: ({ prefix }) => `To clear it away: hkctl keys revoke ${prefix}`,
  },
  entity_inactive: {
    detail: 'The entity of this API key is inactive.',
    onPage: 'This key is refused: its site is not active.',
    short: 'entity inactive',
    reason: ({ entity }) => `its entity ${entity} is inactive`,
    remedy: ({ entity }) => `To let it in: hkctl entities activate ${entity}`,
  },
  address_not_allowed: {
    detail: 'This API key must not be used from this address.',
    onPage: 'This key may not be used from this computer or network.',
  },
  permission_required: {
    detail: 'This API key does not have the permission for this.',
    onPage: 'This key may not read this.',
  },
};

export const refusalCodes = Object.keys(refusals) as readonly RefusalCode[]; // of that very object

/** Why an active key may be refused, in the words of lists. */
export const ownerReasons = Object.values(refusals).flatMap((words) =>
  'short' in words ? [words.short] : [],
);
