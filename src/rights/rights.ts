import { closeSync, openSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { HkctlError } from '../core/errors.ts';
import { type FolderOwner, makeRootFolder, ownerOfFolder } from './folder-owner.ts';

/**
 * The rights that root works with (contract, section 3): those of the store's owner for everything that belongs to the
 * store, and root's own only to open what the admin has named. That account can swap its files for links at any
 * moment, but a process with only that account's rights reaches nothing that the account could not reach itself.
 */
export interface Rights {
  /**
   * Takes the rights of the account that owns the folder of a store, before anything in that folder is touched; nothing
   * where this process is not root or the folder is root's. With `makesFolder` a folder that root will own is made. Throws
   * `store_unreadable` (exit 6) where another account could lead root elsewhere.
   */
  takeFor(storePath: string, options?: { makesFolder: boolean }): void;
  /** Whether this process works with the rights of another account than the one that started it. */
  areAnothers(): boolean;
  /** Runs synchronous work with the admin's own rights, to open files that the admin has named, never a store's file. */
  withOwn<T>(work: () => T): T;
  /** Does the same for asynchronous work that touches no file of a store, and then gives up root for good. */
  withOwnForTheLastTime<T>(work: () => Promise<T>): Promise<T>;
}

/** The members of a process that decide its rights; Windows has none of them. */
type RightsProcess = Pick<
  NodeJS.Process,
  'geteuid' | 'getegid' | 'getgroups' | 'seteuid' | 'setegid' | 'setuid' | 'setgid' | 'setgroups'
> & {
  /** Missing in the types of Node. */
  initgroups?(user: string, extraGroup: number): void;
};

interface Identity {
  uid: number;
  gid: number;
  groups: readonly number[];
}

/** Creates the rights of a process. `program` is a file that the account of the store must be able to read. */
export function createRights(process: RightsProcess, program: string): Rights {
  const isRoot = process.geteuid?.() === 0;
  const own: Identity = { uid: 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  let taken: Identity | undefined;
  let isRaised = false;
  let isGivenUp = false;

  const raise = () => {
    // Only root may change the groups, so the user id is raised first and lowered last.
    process.seteuid?.(own.uid);
    process.setegid?.(own.gid);
    process.setgroups?.([...own.groups]);
    isRaised = true;
  };
  const lower = ({ uid, gid, groups }: Identity) => {
    process.setgroups?.([...groups]);
    process.setegid?.(gid);
    process.seteuid?.(uid);
    isRaised = false;
  };
  const take = (owner: FolderOwner) => {
    try {
      const identity = identityOf(process, owner);
      lower(identity);
      taken = identity;
    } catch (thrown) {
      throw cannotTake(owner.uid, thrown);
    }
    requireReadable(program, owner.uid);
  };

  return {
    takeFor(storePath, { makesFolder } = { makesFolder: false }) {
      if (!isRoot || isGivenUp || taken !== undefined || storePath === ':memory:') return;
      const folder = dirname(storePath);
      do {
        const owner = ownerOfFolder(folder);
        if (owner.uid !== 0) take(owner);
      } while (taken === undefined && makesFolder && !makeRootFolder(folder));
    },
    areAnothers: () => taken !== undefined,
    withOwn(work) {
      if (taken === undefined || isRaised) return work();
      raise();
      try {
        const result = work();
        if (result instanceof Promise) throw new Error('work with the own rights must be synchronous');
        return result;
      } finally {
        lower(taken);
      }
    },
    async withOwnForTheLastTime(work) {
      if (taken === undefined) return work();
      raise();
      try {
        return await work();
      } finally {
        const { uid, gid, groups } = taken;
        process.setgroups?.([...groups]);
        process.setgid?.(gid);
        // As root this also sets the real and the saved id, which cannot be undone.
        process.setuid?.(uid);
        taken = undefined;
        isRaised = false;
        isGivenUp = true;
      }
    },
  };
}

/** The groups of an account; one without an entry in the account database (as in containers) has only its folder's group. */
function identityOf(process: RightsProcess, { uid, gid }: FolderOwner): Identity {
  const before = process.getgroups?.() ?? [];
  const login = loginOf(process, uid);
  if (login === undefined) {
    // The group of root would grant rights of root.
    const only = gid === 0 ? uid : gid;
    return { uid, gid: only, groups: [only] };
  }
  process.initgroups?.(login.username, login.gid);
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.(before);
  return { uid, gid: login.gid, groups };
}

/** Reads the account of a user id; Node can look up only the effective one. */
function loginOf(process: RightsProcess, uid: number): { username: string; gid: number } | undefined {
  process.seteuid?.(uid);
  try {
    return userInfo();
  } catch {
    return undefined;
  } finally {
    process.seteuid?.(0);
  }
}

function requireReadable(program: string, uid: number): void {
  try {
    // Opens the file, since access(2) checks the real user id, which stays root's.
    closeSync(openSync(program, 'r'));
  } catch (thrown) {
    throw new HkctlError(
      'store_unreadable',
      `The store belongs to the account ${uid}, which cannot read hkctl itself (${program}).`,
      { hint: 'Install hkctl where that account can read it, such as /usr/local or /opt.', cause: thrown },
    );
  }
}

function cannotTake(uid: number, thrown: unknown): HkctlError {
  return new HkctlError(
    'store_unreadable',
    `The store belongs to the account ${uid}, whose rights this process cannot take.`,
    { hint: 'Run hkctl as that account: sudo -u ACCOUNT hkctl …', cause: thrown },
  );
}
