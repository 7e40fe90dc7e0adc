import { HkctlError } from '../../core/errors.ts';
import { holdsSecret } from '../../core/keys/secrets.ts';
import { defineCommand } from '../command.ts';
import { parsed } from '../flags.ts';

/** `hkctl systemd-unit` */
export const systemdUnit = defineCommand({
  name: 'systemd-unit',
  summary: 'Print a hardened systemd unit for the daemon',
  description:
    'The daemon runs under an account of its own, with the store in its state directory (/var/lib/hkctl) and nothing else to write to.',
  readOnly: true,
  flags: {
    account: parsed('--account <ACCOUNT>', 'account to run under (default hkctl)', (given) =>
      requirePlain(given, /^[a-z_][a-z0-9_-]*$/),
    ),
    exec: parsed('--exec <COMMAND>', 'absolute path of hkctl (default: this one)', (given) =>
      requirePlain(given, /^\/[^\s%"'\\]+$/),
    ),
    environmentFile: parsed(
      '--environment-file <PATH>',
      'file with HKCTL_ variables (default /etc/default/hkctl)',
      (given) => requirePlain(given, /^\/[^\p{Cc}%"'\\]+$/u),
    ),
  },
  examples: [
    ['hkctl systemd-unit > /etc/systemd/system/hkctl.service', 'then systemctl enable --now hkctl'],
    ['hkctl systemd-unit --account plant --exec /usr/local/bin/hkctl', 'another account'],
  ],
  async run(context, { account = 'hkctl', exec, environmentFile = '/etc/default/hkctl' }) {
    const unit = unitText(
      account,
      (exec === undefined ? context.io.program : [exec]).map(quoted).join(' '),
      environmentFile,
    );
    if (context.json) context.printJson({ unit });
    else context.printDocument(unit);
  },
});

/** A word of a command line of systemd, with whatever is in it. */
function quoted(word: string): string {
  const escaped = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(word) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped;
}

function requirePlain(given: string, pattern: RegExp): string {
  // Everybody on the machine can read a unit.
  if (pattern.test(given) && !holdsSecret(given)) return given;
  throw new HkctlError('usage', `"${given}" cannot stand in a unit.`);
}

/**
 * No MemoryDenyWriteExecute: V8 makes code while it runs, and would be killed. It also asks for memory protection keys
 * (@pkey) at its start; any other call outside the list fails instead of killing the daemon.
 */
function unitText(account: string, exec: string, environmentFile: string): string {
  return `[Unit]
Description=hkctl API daemon
Documentation=man:hkctl-serve(8)
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User=${account}
EnvironmentFile=-${environmentFile}
StateDirectory=hkctl
StateDirectoryMode=0700
UMask=0077
ExecStart=${exec} serve
KillSignal=SIGTERM
TimeoutStopSec=30
Restart=on-failure
RestartSec=1
LimitNOFILE=65536
LimitCORE=0

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service @pkey
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target`;
}
