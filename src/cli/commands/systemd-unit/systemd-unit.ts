import { chmodSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';
import { unwritable } from '../../../core/files/path-faults.ts';
import { serveDefaults } from '../../../core/operations/settings.ts';
import { holdsSecret } from '../../../core/secrets.ts';
import { defineCommand } from '../../command/command.ts';
import { parsed, pathFlag, toggle } from '../../command/flags.ts';
import { parseKeep } from '../backup/backup.ts';
import { parsePort } from '../serve/addresses.ts';
import { requireBothOfTls } from '../serve/serve.ts';
import service from './hkctl.service?raw';
import socket from './hkctl.socket?raw';
import backupService from './hkctl-backup.service?raw';
import backupTimer from './hkctl-backup.timer?raw';
import statusService from './hkctl-status.service?raw';
import statusTimer from './hkctl-status.timer?raw';
import statusFailed from './hkctl-status-failed.service?raw';

/**
 * The units are as systemd reads them, but for words such as `@EXEC@`. Services have no rights, and nothing to write to but the state
 * directory. MemoryDenyWriteExecute is missing, since V8 makes code while it runs, and would be killed. V8 also asks for memory
 * protection keys (@pkey) at its start; any other call outside the list fails instead of killing the process.
 *
 * The daemon: systemd-notify sends its messages, hence `NotifyAccess=all`. systemd starts it again without end, since a store that was
 * locked, full or not migrated yet becomes usable while it runs. The journal may drop no line, or many requests would hide heads of the
 * audit trail; limits of each key and address bound their number. Large reads lower the priority of their thread (setpriority).
 *
 * systemd keeps the socket open and passes it to the service of the same name, so that connections wait while the daemon is restarted.
 * A backup of a store on PostgreSQL needs the network. The service that reports the findings of `hkctl status` lacks NoNewPrivileges,
 * and whatever implies it: programs that send mail get their rights by setuid or setgid.
 */
const unitTemplates = {
  'hkctl.service': service,
  'hkctl.socket': socket,
  'hkctl-backup.service': backupService,
  'hkctl-backup.timer': backupTimer,
  'hkctl-status.service': statusService,
  'hkctl-status-failed.service': statusFailed,
  'hkctl-status.timer': statusTimer,
} as const;

/** A path for a place where systemd separates paths by blanks, or by colons. */
const pathWithoutBlanks = /^\/[^\s\p{Cc}%"'\\:$;]+$/u;

/** A flag whose value is written into a unit as it is, which everybody on the machine can read. */
function unitValueFlag(spelling: string, doc: string, pattern: RegExp) {
  return parsed(spelling, doc, (typedValue) => {
    if (pattern.test(typedValue) && !holdsSecret(typedValue)) return typedValue;
    throw new HkctlError('usage', `"${typedValue}" cannot be written in a unit.`);
  });
}

const defaultCall = "mail -s 'hkctl needs attention' root";
/**
 * The lines of the unit: any account can write some under its identifier (`logger -t`). Old mail programs obey a line that begins
 * with a tilde.
 */
const statusReport =
  "journalctl _SYSTEMD_UNIT=hkctl-status.service --since=-10min --output=cat --no-pager | sed 's/^~/ ~/'";

interface SystemdUnit {
  name: keyof typeof unitTemplates;
  text: string;
}

export default defineCommand({
  description:
    'The daemon runs under an account of its own, with the store in its state directory (/var/lib/hkctl) and nothing else to write to.',
  readOnly: true,
  fields: ['unit', 'units', 'files'],
  flags: {
    socket: toggle(
      '--socket',
      'print hkctl.socket instead: with it a restart refuses no connection',
    ),
    backup: toggle(
      '--backup',
      'print hkctl-backup.service and .timer instead: a backup every night',
    ),
    status: toggle(
      '--status',
      'print hkctl-status.service and .timer instead: hkctl status every morning',
    ),
    call: unitValueFlag(
      '--call <COMMAND>',
      `with --status: command that reads what needs attention (default ${defaultCall})`,
      /^[^\p{Cc}]*[^\p{Cc}\s][^\p{Cc}]*$/u,
    ),
    folder: pathFlag(
      '--folder <PATH>',
      'write the units into this folder instead, such as /etc/systemd/system',
    ),
    account: unitValueFlag(
      '--account <ACCOUNT>',
      'account to run under (default hkctl)',
      /^[a-z_][a-z0-9_-]*$/,
    ),
    exec: unitValueFlag(
      '--exec <COMMAND>',
      'absolute path of hkctl (default: this one)',
      /^\/[^\s%"'\\]+$/,
    ),
    environmentFile: unitValueFlag(
      '--environment-file <PATH>',
      'file with HKCTL_ variables (default /etc/default/hkctl)',
      /^\/[^\p{Cc}%"'\\]+$/u,
    ),
    tlsCert: unitValueFlag(
      '--tls-cert <FILE>',
      'certificate that root reads for the daemon',
      pathWithoutBlanks,
    ),
    tlsKey: unitValueFlag(
      '--tls-key <FILE>',
      'private key that root reads for the daemon',
      pathWithoutBlanks,
    ),
    host: parsed(
      '--host <ADDRESS>',
      `with --socket: address (default ${serveDefaults.host})`,
      requireAddress,
    ),
    port: parsed('--port <PORT>', `with --socket: port (default ${serveDefaults.port})`, parsePort),
    backupFolder: unitValueFlag(
      '--backup-folder <PATH>',
      'with --backup: where backups go (default /var/lib/hkctl/backups)',
      pathWithoutBlanks,
    ),
    keep: parsed('--keep <N>', 'with --backup: how many backups to keep (default 14)', parseKeep),
  },
  examples: [
    ['hkctl systemd-unit > /etc/systemd/system/hkctl.service', 'then systemctl enable --now hkctl'],
    [
      'hkctl systemd-unit --socket > /etc/systemd/system/hkctl.socket',
      'then systemctl enable --now hkctl.socket',
    ],
    [
      'hkctl systemd-unit --backup --folder /etc/systemd/system',
      'then systemctl enable --now hkctl-backup.timer',
    ],
    [
      'hkctl systemd-unit --status --folder /etc/systemd/system',
      'then systemctl enable --now hkctl-status.timer',
    ],
    ['hkctl systemd-unit --account plant --exec /usr/local/bin/hkctl', 'another account'],
  ],
  async run(context, flags) {
    const { account = 'hkctl', environmentFile = '/etc/default/hkctl', tlsCert, tlsKey } = flags;
    const { host = serveDefaults.host, port = serveDefaults.port } = flags;
    const { backupFolder, keep = 14 } = flags;
    requireBothOfTls(flags);
    if (flags.call !== undefined && !flags.status) throw missingFlag('--call', '--status');
    if (backupFolder !== undefined && !flags.backup)
      throw missingFlag('--backup-folder', '--backup');

    const programWords = flags.exec === undefined ? context.io.program : [flags.exec];
    if (!flags.socket || flags.backup || flags.status)
      for (const programWord of programWords) requireVisible(programWord, 'program', howToInstall);
    if (flags.backup && backupFolder !== undefined)
      requireVisible(backupFolder, 'folder', 'Name another folder.');

    const hasTls = tlsCert !== undefined;
    const hostText = isIP(host) === 6 ? `[${host}]` : host;
    // The specifier %d would need systemd 250; the variable has been there since 247.
    const credentials = `\${CREDENTIALS_DIRECTORY}`;
    const values: Record<string, string> = {
      ACCOUNT: account,
      ENVIRONMENT_FILE: environmentFile,
      EXEC: programWords.map(quotedArgument).join(' '),
      CREDENTIALS: hasTls
        ? `LoadCredential=tls-cert:${tlsCert}\nLoadCredential=tls-key:${tlsKey}\n`
        : '',
      FLAGS: hasTls ? ` --tls-cert ${credentials}/tls-cert --tls-key ${credentials}/tls-key` : '',
      ADDRESS: `${hostText}:${port}`,
      OWN_FOLDER: backupFolder === undefined ? ' hkctl/backups' : '',
      OTHER_FOLDER: backupFolder === undefined ? '' : `ReadWritePaths=${backupFolder}\n`,
      KEEP: `${keep}`,
      FOLDER: backupFolder ?? '%S/hkctl/backups',
      TELL: quotedArgument(`${statusReport} | ${flags.call ?? defaultCall}`),
    };

    const unitNames: SystemdUnit['name'][] = [];
    if (flags.socket) unitNames.push('hkctl.socket');
    if (flags.backup) unitNames.push('hkctl-backup.service', 'hkctl-backup.timer');
    if (flags.status)
      unitNames.push('hkctl-status.service', 'hkctl-status-failed.service', 'hkctl-status.timer');
    if (unitNames.length === 0) unitNames.push('hkctl.service');

    const units = unitNames.map((name): SystemdUnit => {
      const unitText = unitTemplates[name]
        .trimEnd()
        .replace(/@([A-Z_]+)@/g, (_all, placeholder: string) => values[placeholder] ?? '');
      return { name, text: unitText };
    });

    if (flags.folder !== undefined) {
      const writtenFiles = writeUnits(flags.folder, units);
      context.report(
        { files: writtenFiles },
        ...writtenFiles.map((file) => `Written: ${file}`),
        'Next: systemctl daemon-reload',
      );
      return;
    }
    const [onlyUnit] = units;
    if (onlyUnit && units.length === 1) {
      context.printDocument(onlyUnit.text, { unit: onlyUnit.text });
      return;
    }
    const unitTexts = units.map(({ name, text }) => `# ${name}\n${text}`);
    context.printDocument(unitTexts.join('\n\n'), { units });
  },
});

function missingFlag(flag: string, neededFlag: string): HkctlError {
  return new HkctlError('usage', `${flag} needs ${neededFlag}: no other unit contains it.`);
}

const howToInstall =
  'Install hkctl for the whole machine: sudo dpkg -i packages/hkctl-node_*.deb after npm run package, or sudo npm install -g ./hkctl-*.tgz after npm pack. Then call that one, or name it: --exec /usr/bin/hkctl';

/** The folders that ProtectHome and PrivateTmp hide from a unit. */
const hiddenFolders = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

function isHidden(path: string): boolean {
  return hiddenFolders.some((folder) => `${path}/`.startsWith(`${folder}/`));
}

/** Refuses a path that the unit could not see, directly or behind links: `usage`. `noun` names it, as "program". */
function requireVisible(path: string, noun: string, hint: string): void {
  // The path of a unit for another machine may not exist here.
  const realPath = existsSync(path) ? realpathSync(path) : path;
  if (!isHidden(resolve(path)) && !isHidden(realPath)) return;

  const shownPath = realPath === path ? path : `${path} (${realPath})`;
  throw new HkctlError(
    'usage',
    `The ${noun} ${shownPath} is in a folder that the unit hides: ${hiddenFolders.join(', ')}.`,
    { hint },
  );
}

/** An argument of a command line with any characters, quoted for systemd. */
function quotedArgument(argument: string): string {
  const escaped = argument.replaceAll('%', '%%').replaceAll('$', '$$$$');
  const needsQuotes = /[\s"'\\;]/.test(argument);
  return needsQuotes ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped;
}

function requireAddress(address: string): string {
  if (isIP(address) !== 0) return address;
  throw new HkctlError('usage', `"${address}" is not an IP address.`);
}

/** Writes units into a folder, all or none. A file with other content may have been edited, and stays: `state_forbids`. */
function writeUnits(folder: string, units: readonly SystemdUnit[]): string[] {
  const files = units.map(({ name, text }) => ({
    file: resolve(join(folder, name)),
    text: `${text}\n`,
  }));
  const missingFiles = files.filter(({ file }) => !existsSync(file));

  for (const { file, text } of files) {
    if (!existsSync(file) || readFileSync(file, 'utf8') === text) continue;
    throw new HkctlError(
      'state_forbids',
      `${file} is there already, and is different; nothing was written.`,
      {
        hint: 'Keep your changes in a drop-in (systemctl edit), remove the file, and write it again.',
      },
    );
  }

  for (const { file, text } of missingFiles) {
    try {
      writeFileSync(file, text, { flag: 'wx' });
      // Under any umask everybody may read a unit, as the units of packages.
      chmodSync(file, 0o644);
    } catch (thrown) {
      throw unwritable(file, thrown) ?? thrown;
    }
  }
  return files.map(({ file }) => file);
}
