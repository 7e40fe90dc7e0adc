import { HkctlError } from '../../../core/errors.ts';
import { holdsSecret } from '../../../core/secrets.ts';
import service from './hkctl.service?raw';
import socket from './hkctl.socket?raw';
import backupService from './hkctl-backup.service?raw';
import backupTimer from './hkctl-backup.timer?raw';

/**
 * The files of the units are as systemd reads them, but for words such as `@EXEC@`. Services have no rights, and nothing to write to
 * but the state directory. MemoryDenyWriteExecute is missing, since V8 makes code while it runs, and would be killed. V8 also
 * asks for memory protection keys (@pkey) at its start; any other call outside the list fails instead of killing the process.
 */
function unit(name: string, text: string, values: Readonly<Record<string, string>>): Unit {
  return { name, text: text.trimEnd().replace(/@([A-Z_]+)@/g, (_all, word: string) => values[word] ?? '') };
}

/** What the services depend on. `exec` is a command line as systemd reads it. */
interface ServiceOptions {
  account: string;
  exec: string;
  environmentFile: string;
}

interface DaemonOptions extends ServiceOptions {
  /** Paths of a certificate and its key, which systemd reads as root and passes on. */
  tls: { cert: string; key: string } | undefined;
}

/**
 * The service of the daemon. systemd-notify sends its messages, hence `NotifyAccess=all`. It is started again without end,
 * since a store that was locked, full or not migrated yet becomes usable while it runs. The journal may drop no line, or many
 * requests would hide heads of the audit trail; limits of each key and address bound their number. Large reads lower the
 * priority of their thread (setpriority).
 */
export function daemonService({ account, exec, environmentFile, tls }: DaemonOptions): Unit {
  // The specifier %d would need systemd 250; the variable has been there since 247.
  const folder = `\${CREDENTIALS_DIRECTORY}`;
  return unit('hkctl.service', service, {
    ACCOUNT: account,
    ENVIRONMENT_FILE: environmentFile,
    CREDENTIALS: tls ? `LoadCredential=tls-cert:${tls.cert}\nLoadCredential=tls-key:${tls.key}\n` : '',
    EXEC: exec,
    FLAGS: tls ? ` --tls-cert ${folder}/tls-cert --tls-key ${folder}/tls-key` : '',
  });
}

/**
 * The socket of the daemon. systemd keeps it open and passes it to the service of the same name, so that connections wait
 * while the daemon is restarted.
 */
export function daemonSocket(host: string, port: number): Unit {
  const address = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return unit('hkctl.socket', socket, { ADDRESS: `${address}:${port}` });
}

interface BackupOptions extends ServiceOptions {
  /** The folder of the backups; without one a folder inside the state directory, which systemd makes. */
  folder: string | undefined;
  keep: number;
}

/** The service that writes one backup, and the timer that starts it every night. A store on PostgreSQL needs the network. */
export function backupUnits({ account, exec, environmentFile, folder, keep }: BackupOptions): Unit[] {
  const values = {
    ACCOUNT: account,
    ENVIRONMENT_FILE: environmentFile,
    OWN_FOLDER: folder === undefined ? ' hkctl/backups' : '',
    OTHER_FOLDER: folder === undefined ? '' : `ReadWritePaths=${folder}\n`,
    EXEC: exec,
    KEEP: `${keep}`,
    FOLDER: folder ?? '%S/hkctl/backups',
  };
  return [unit('hkctl-backup.service', backupService, values), unit('hkctl-backup.timer', backupTimer, values)];
}

export interface Unit {
  name: string;
  text: string;
}

/** An argument of a command line, quoted for systemd whatever is in it. */
export function quotedArgument(argument: string): string {
  const escaped = argument.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(argument) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped;
}

/** Checks a value that is written into a unit as it is. Throws `usage`. */
export function requirePlain(given: string, pattern: RegExp): string {
  // Everybody on the machine can read a unit.
  if (pattern.test(given) && !holdsSecret(given)) return given;
  throw new HkctlError('usage', `"${given}" cannot be written in a unit.`);
}

/** An absolute path for a unit. Throws `usage`. */
export function requirePath(given: string): string {
  return requirePlain(given, /^\/[^\p{Cc}%"'\\]+$/u);
}

/** The same for a place where systemd separates paths by blanks, or by colons. */
export function requirePathWithoutBlanks(given: string): string {
  return requirePlain(given, /^\/[^\s\p{Cc}%"'\\:$;]+$/u);
}
