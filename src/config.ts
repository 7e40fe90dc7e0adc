import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { callerOfSudo } from './rights/sudo.ts';

/** What the environment say: the only reader of the environment, made once by the composition root. */
export interface Environment {
  env: Readonly<Record<string, string | undefined>>;
  /** The account of the operating system that acts; under sudo the one that called it (contract, section 2). */
  osAccount: string;
  /** Where the store is if nobody names another: `$STATE_DIRECTORY`, else `$XDG_DATA_HOME/hkctl`, else `~/.local/share/hkctl`. */
  defaultStorePath: string;
}

/** Reads the environment of a process. */
export function readEnvironment(
  process: { env: NodeJS.ProcessEnv; ppid: number; getuid?: () => number },
  callerOf: typeof callerOfSudo = callerOfSudo,
): Environment {
  const env = process.env;
  const osAccount = osAccountOf(env, process.getuid?.(), () => callerOf(process.ppid));
  return { env, osAccount, defaultStorePath: defaultStorePathOf(env) };
}

function osAccountOf(env: NodeJS.ProcessEnv, uid: number | undefined, caller: () => string | undefined): string {
  // Any account can set this variable for itself. Root need not; of others it is believed where the system says the same.
  const named = env.SUDO_USER;
  if (named && (uid === 0 || caller() === named)) return named;
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the account database, as containers give it: it still has a number.
    return `uid-${uid ?? 'unknown'}`;
  }
}

function defaultStorePathOf(env: NodeJS.ProcessEnv): string {
  // systemd may name several state directories, joined by colons; the first is ours.
  const stateDirectory = env.STATE_DIRECTORY?.split(':')[0];
  if (stateDirectory) return join(stateDirectory, 'hkctl.db');
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'hkctl', 'hkctl.db');
}
