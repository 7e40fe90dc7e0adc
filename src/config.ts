import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { folderOfAnother } from './rights/rights.ts';
import { callerOfSudo } from './rights/sudo.ts';

/** Reads the environment of the process, for the composition root: only this file reads it, once. */
export function readEnvironment(
  process: { env: NodeJS.ProcessEnv; ppid: number; getuid?: () => number },
  callerOf: typeof callerOfSudo = callerOfSudo,
  exists: (path: string) => boolean = existsSync,
  ownerOf: (path: string) => number | undefined = ownerOfFolder,
) {
  const { env } = process;
  const uid = process.getuid?.();
  const isOfSystem = () => uid === 0 || uid === ownerOf(dirname(systemStorePath));
  return {
    env,
    /** The account of the operating system that acts; under sudo the one that called it (promise 3.11). */
    osAccount: osAccountOf(env, uid, () => callerOf(process.ppid)),
    ...defaultStoreOf(env, exists, isOfSystem),
    /** The folder of the system's store, if this account may not enter it: a store may be there. Checked when called. */
    closedSystemStore: () =>
      env.STATE_DIRECTORY ? undefined : folderOfAnother(dirname(systemStorePath)),
  };
}

function osAccountOf(
  env: NodeJS.ProcessEnv,
  uid: number | undefined,
  findCaller: () => string | undefined,
): string {
  // Any account can set this variable. `SUDO_USER` is believed from root, and from others if the process table confirms it.
  const sudoUser = env.SUDO_USER;
  if (sudoUser) {
    const isBelieved = uid === 0 || findCaller() === sudoUser;
    if (isBelieved) return sudoUser;
  }

  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the account database, as in containers.
    return `uid-${uid ?? 'unknown'}`;
  }
}

/** The store of the daemon that `hkctl systemd-unit` sets up. */
const systemStorePath = '/var/lib/hkctl/hkctl.db';

function ownerOfFolder(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}

/**
 * The path of the store if no flag or variable names another (promise 3.11), and whether it is that of the system's daemon.
 * Undefined for an account without a home folder. A folder with a relative path is ignored, as the XDG specification wants it:
 * the store would be another one in each working directory. `otherStorePath` is the system's store if the account has one, too.
 * If the package has made the folder of the system's store, root and its owner (`isOfSystem`) make no store of their own by
 * accident.
 */
function defaultStoreOf(
  env: NodeJS.ProcessEnv,
  exists: (path: string) => boolean,
  isOfSystem: () => boolean,
) {
  // systemd may name several state directories, joined by colons; the first is ours.
  const stateDirectories = env.STATE_DIRECTORY?.split(':');
  const stateDirectory = stateDirectories?.find(isAbsolute);
  if (stateDirectory !== undefined) {
    return {
      defaultStorePath: join(stateDirectory, 'hkctl.db'),
      isSystemStore: false,
    };
  }

  const dataFolder = dataFolderOf(env);
  const ownPath = dataFolder && join(dataFolder, 'hkctl', 'hkctl.db');
  // An account that may not enter the folder of the system's store does not see it either.
  const hasOwnStore = ownPath !== undefined && exists(ownPath);
  const hasSystemStore = exists(systemStorePath);
  const wantsSystemStore = !env.XDG_DATA_HOME && exists(dirname(systemStorePath)) && isOfSystem();
  const isSystemStore = !hasOwnStore && (hasSystemStore || wantsSystemStore);
  return {
    defaultStorePath: isSystemStore ? systemStorePath : ownPath,
    isSystemStore,
    otherStorePath: hasOwnStore && hasSystemStore ? systemStorePath : undefined,
  };
}

/** The folder for the data of an account's programs; undefined if it has no home folder, as in containers. */
function dataFolderOf(env: NodeJS.ProcessEnv): string | undefined {
  const { XDG_DATA_HOME = '', HOME = '' } = env;
  if (isAbsolute(XDG_DATA_HOME)) return XDG_DATA_HOME;

  const homeFolder = isAbsolute(HOME) ? HOME : homeInDatabase();
  return homeFolder === undefined ? undefined : join(homeFolder, '.local', 'share');
}

/** The home folder in the account database, which lacks many accounts of containers. */
function homeInDatabase(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    return undefined;
  }
}
