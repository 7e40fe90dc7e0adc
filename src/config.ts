import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { callerOfSudo } from './rights/sudo.ts';

/** The environment of the process. Only this file reads it, once, for the composition root. */
export interface Environment {
  env: Readonly<Record<string, string | undefined>>;
  /** The account of the operating system that acts; under sudo the one that called it (contract, section 2). */
  osAccount: string;
  /** Path of the store where no flag or variable names another: `$STATE_DIRECTORY`, else `$XDG_DATA_HOME/hkctl`, else `~/.local/share/hkctl`. */
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
  // Any account can set this variable. It is believed from root, and from others where the process table confirms it.
  const named = env.SUDO_USER;
  if (named && (uid === 0 || caller() === named)) return named;
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the account database, as in containers.
    return `uid-${uid ?? 'unknown'}`;
  }
}

function defaultStorePathOf(env: NodeJS.ProcessEnv): string {
  // systemd may name several state directories, joined by colons; the first is ours.
  const stateDirectory = env.STATE_DIRECTORY?.split(':')[0];
  if (stateDirectory) return join(stateDirectory, 'hkctl.db');
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'hkctl', 'hkctl.db');
}
