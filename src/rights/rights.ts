import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { type UserInfo, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { errnoOf, HkctlError } from '../core/errors.ts';
import { walkPath } from '../core/files/named-path.ts';
import { modeText } from '../core/files/path-faults.ts';
import { shellWord } from '../core/text/quoting.ts';
import { loginOf } from './sudo.ts';

/** The rights of root on the store of another account (promise 3.9): it becomes that account, permanently. */
export type Rights = ReturnType<typeof createRights>;

/** The members of a process that decide its rights; Windows has none of them. */
type RightsProcess = Pick<
  NodeJS.Process,
  'geteuid' | 'seteuid' | 'setuid' | 'setgid' | 'setgroups'
> & {
  /** Missing in the types of Node. */
  initgroups?(user: string, extraGroup: number): void;
};

/** `env` is the environment of what the process starts; the account of the store must be able to read `program`. */
export function createRights(process: RightsProcess, env: NodeJS.ProcessEnv, program: string) {
  let switchedTo: string | undefined;
  const areRoots = () => process.geteuid?.() === 0;
  return {
    /**
     * Switches root permanently to the account that owns the folder of a store, before anything of the store is opened. Does nothing
     * for other accounts and for a folder of root. With `makesFolder`, root makes a missing folder that will be its own. Throws
     * `store_unreadable` (exit 6).
     */
    switchFor(storePath: string, { makesFolder } = { makesFolder: false }): void {
      if (!areRoots() || storePath === ':memory:') return;
      const folder = dirname(storePath);
      let account = accountOf(folder);
      if (account === undefined && makesFolder) {
        try {
          makeFolder(folder);
        } catch {
          // The code that then misses the folder reports the reason.
        }
        // Another account may have made it first.
        account = accountOf(folder);
      }
      if (account === undefined) return;

      switchedTo = switchTo(process, env, account);
      requireReadable(program, switchedTo);
    },
    /** The login that root has switched to, or `#` and its number if it has none; undefined without a switch. */
    switchedTo: () => switchedTo,
    areRoots,
  };
}

/** Node's recursive mkdir never returns if a file system refuses one, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Gives up the rights of root for those of an account, in every thread; returns its login, or `#` and its number. */
function switchTo(process: RightsProcess, env: NodeJS.ProcessEnv, { uid, gid }: Account): string {
  try {
    const userEntry = entryOf(process, uid);
    // An account without an entry, as in containers, gets the group of its folder. The group of root would grant rights of root.
    const groupId = userEntry?.gid ?? (gid === 0 ? uid : gid);
    if (userEntry) process.initgroups?.(userEntry.username, groupId);
    else process.setgroups?.([groupId]);

    process.setgid?.(groupId);
    process.setuid?.(uid);
    const login = userEntry?.username ?? `#${uid}`;

    // Programs that hkctl starts, such as that of --exec, find the files of the account and not those of root.
    for (const name of Object.keys(env)) {
      if (name.startsWith('XDG_')) delete env[name];
    }
    Object.assign(env, {
      HOME: userEntry?.homedir ?? '/',
      USER: login,
      LOGNAME: login,
    });

    return login;
  } catch (thrown) {
    throw new HkctlError(
      'store_unreadable',
      `The store belongs to the account ${uid}, which this process cannot switch to.`,
      { hint: 'Run hkctl as that account: sudo -u ACCOUNT hkctl …', cause: thrown },
    );
  }
}

/** The entry of an account; Node can look up only that of the effective user id. */
function entryOf(process: RightsProcess, uid: number): UserInfo<string> | undefined {
  process.seteuid?.(uid);
  try {
    return userInfo();
  } catch {
    return undefined;
  } finally {
    process.seteuid?.(0);
  }
}

function requireReadable(program: string, accountName: string): void {
  try {
    accessSync(program, constants.R_OK);
  } catch (thrown) {
    throw new HkctlError(
      'store_unreadable',
      `The store belongs to the account ${accountName}, which cannot read hkctl itself (${program}).`,
      {
        hint: 'Install hkctl where that account can read it, such as /usr/local or /opt.',
        cause: thrown,
      },
    );
  }
}

interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that decides what is in a folder: the first other than root that owns a folder or a link on the path to it, or the
 * folder itself; undefined if all of them are root's. Throws `store_unreadable` (exit 6) for a folder of root in which other
 * accounts can replace any entry: any of them would decide where the path leads.
 */
export function accountOf(folder: string): Account | undefined {
  try {
    for (const { path, stats } of walkPath(folder)) {
      if (stats === undefined) return undefined;
      const { uid, gid, mode } = stats;
      if (uid !== 0) return { uid, gid };
      if (!stats.isDirectory()) continue;
      const isGroupWritable = gid !== 0 && (mode & 0o020) !== 0;
      const isOpen = isGroupWritable || (mode & 0o002) !== 0;
      // In a sticky folder such as /tmp only its owner and the owner of an entry can replace that entry.
      if (isOpen && (mode & 0o1000) === 0) throw openToOthers(path, mode);
    }
  } catch (thrown) {
    // The code that opens the store reports a path that leads nowhere.
    if (errnoOf(thrown) === undefined) throw thrown;
  }
  return undefined;
}

function openToOthers(folder: string, mode: number): HkctlError {
  const message = `Accounts other than root can write the folder ${folder} (mode ${modeText(mode)}).`;
  return new HkctlError('store_unreadable', `${message} Root does not work on a store there.`, {
    hint: `Close the folder: chmod go-w ${shellWord(folder)}`,
  });
}

/** The folder if this account may not enter it, with the login of its owner, or `#` and its number, as sudo accepts it. */
export function folderOfAnother(folder: string): { folder: string; account: string } | undefined {
  try {
    accessSync(folder, constants.X_OK);
    return undefined;
  } catch (thrown) {
    if (errnoOf(thrown) !== 'EACCES') return undefined;
  }

  const ownerUid = statSync(folder, { throwIfNoEntry: false })?.uid;
  if (ownerUid === undefined) return undefined;
  return { folder, account: loginOf(ownerUid) ?? `#${ownerUid}` };
}
