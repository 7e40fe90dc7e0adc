import { realpathSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';
import { serveDefaults } from '../../../core/operations/settings.ts';
import { defineCommand } from '../../command/command.ts';
import { parsed, toggle } from '../../command/flags.ts';
import { parseKeep } from '../backup/keep.ts';
import { parsePort, requireBothOfTls } from '../serve/serve.ts';
import {
  backupUnits,
  daemonService,
  daemonSocket,
  quotedArgument,
  requirePath,
  requirePathWithoutBlanks,
  requirePlain,
  type Unit,
} from './units.ts';

/** The folders that ProtectHome and PrivateTmp hide from a unit. */
const hidden = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

/** Refuses a path that the unit could not see, directly or behind links: `usage`. `what` names it, as "program". */
function requireVisible(path: string, what: string, hint: string): void {
  const real = realPath(path);
  if (![resolve(path), real].some((form) => hidden.some((folder) => `${form}/`.startsWith(`${folder}/`)))) return;
  const shown = real === path ? path : `${path} (${real})`;
  throw new HkctlError('usage', `The ${what} ${shown} is in a folder that the unit hides: ${hidden.join(', ')}.`, {
    hint,
  });
}

/** Where a path leads; the path itself if nothing is there, as for a unit of another machine. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export default defineCommand({
  name: 'systemd-unit',
  summary: 'Print a hardened systemd unit for the daemon',
  description:
    'The daemon runs under an account of its own, with the store in its state directory (/var/lib/hkctl) and nothing else to write to.',
  readOnly: true,
  flags: {
    socket: toggle('--socket', 'print hkctl.socket instead: with it a restart refuses no connection'),
    backup: toggle('--backup', 'print hkctl-backup.service and .timer instead: a backup every night'),
    folder: parsed(
      '--folder <PATH>',
      'write the units into this folder instead, such as /etc/systemd/system',
      (given) => requirePlain(given, /./),
    ),
    account: parsed('--account <ACCOUNT>', 'account to run under (default hkctl)', (given) =>
      requirePlain(given, /^[a-z_][a-z0-9_-]*$/),
    ),
    exec: parsed('--exec <COMMAND>', 'absolute path of hkctl (default: this one)', (given) =>
      requirePlain(given, /^\/[^\s%"'\\]+$/),
    ),
    environmentFile: parsed(
      '--environment-file <PATH>',
      'file with HKCTL_ variables (default /etc/default/hkctl)',
      requirePath,
    ),
    tlsCert: parsed('--tls-cert <FILE>', 'certificate that root reads for the daemon', requirePathWithoutBlanks),
    tlsKey: parsed('--tls-key <FILE>', 'private key that root reads for the daemon', requirePathWithoutBlanks),
    host: parsed('--host <ADDRESS>', `with --socket: address (default ${serveDefaults.host})`, requireAddress),
    port: parsed('--port <PORT>', `with --socket: port (default ${serveDefaults.port})`, parsePort),
    backupFolder: parsed(
      '--backup-folder <PATH>',
      'with --backup: where backups go (default /var/lib/hkctl/backups)',
      requirePathWithoutBlanks,
    ),
    keep: parsed('--keep <N>', 'with --backup: how many backups to keep (default 14)', parseKeep),
  },
  examples: [
    ['hkctl systemd-unit > /etc/systemd/system/hkctl.service', 'then systemctl enable --now hkctl'],
    ['hkctl systemd-unit --socket > /etc/systemd/system/hkctl.socket', 'then systemctl enable --now hkctl.socket'],
    ['hkctl systemd-unit --backup --folder /etc/systemd/system', 'then systemctl enable --now hkctl-backup.timer'],
    ['hkctl systemd-unit --account plant --exec /usr/local/bin/hkctl', 'another account'],
  ],
  async run(context, flags) {
    const { account = 'hkctl', environmentFile = '/etc/default/hkctl', tlsCert, tlsKey } = flags;
    const { host = serveDefaults.host, port = serveDefaults.port, backupFolder, keep = 14 } = flags;
    requireBothOfTls(flags);
    const program = flags.exec === undefined ? context.io.program : [flags.exec];
    const exec = program.map(quotedArgument).join(' ');
    if (!flags.socket || flags.backup) for (const path of program) requireVisible(path, 'program', howToInstall);
    if (flags.backup && backupFolder !== undefined) requireVisible(backupFolder, 'folder', 'Name another folder.');
    const tls = tlsCert !== undefined && tlsKey !== undefined ? { cert: tlsCert, key: tlsKey } : undefined;
    const units = [
      ...(flags.socket ? [daemonSocket(host, port)] : []),
      ...(flags.backup ? backupUnits({ account, exec, environmentFile, folder: backupFolder, keep }) : []),
    ];
    if (units.length === 0) units.push(daemonService({ account, exec, environmentFile, tls }));
    if (flags.folder !== undefined) {
      const { writeUnits } = await import('./unit-files.ts');
      const files = writeUnits(flags.folder, units);
      context.report({ files }, ...files.map((file) => `Written: ${file}`), 'Next: systemctl daemon-reload');
    } else if (units.length === 1) {
      context.printDocument(units[0]?.text ?? '', { unit: units[0]?.text });
    } else context.printDocument(units.map(titled).join('\n\n'), { units });
  },
});

const howToInstall =
  'Install hkctl (and Node.js) for the whole machine: sudo dpkg -i packages/hkctl_*.deb after npm run package, or sudo npm install -g ./hkctl-*.tgz after npm pack. Then call that one, or name it: --exec /usr/bin/hkctl';

function titled({ name, text }: Unit): string {
  return `# ${name}\n${text}`;
}

function requireAddress(given: string): string {
  if (isIP(given) !== 0) return given;
  throw new HkctlError('usage', `"${given}" is not an IP address.`);
}
