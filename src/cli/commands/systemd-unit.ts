import { HkctlError } from '../../core/errors.ts';
import { defineCommand } from '../command.ts';
import { parsed, text } from '../flags.ts';

/** `hkctl systemd-unit` */
export const systemdUnit = defineCommand({
  name: 'systemd-unit',
  summary: 'Print a hardened systemd unit for the daemon',
  description:
    'The daemon runs under an account of its own, with the store in its state directory (/var/lib/hkctl) and nothing else to write to.',
  readOnly: true,
  flags: {
    user: parsed('--user <ACCOUNT>', 'account to run under (default hkctl)', (given) =>
      requirePlain(given, /^[a-z_][a-z0-9_-]*$/),
    ),
    exec: parsed('--exec <COMMAND>', 'absolute path of hkctl (default: this one)', (given) =>
      requirePlain(given, /^\/[^\s%"'\\]+$/),
    ),
    environmentFile: text('--environment-file <PATH>', 'file with HKCTL_ variables (default /etc/default/hkctl)'),
  },
  examples: [
    ['hkctl systemd-unit > /etc/systemd/system/hkctl.service', 'then systemctl enable --now hkctl'],
    ['hkctl systemd-unit --user plant --exec /usr/local/bin/hkctl', 'another account'],
  ],
  async run(context, { user = 'hkctl', exec, environmentFile = '/etc/default/hkctl' }) {
    const unit = unitText(user, exec ?? context.io.program.join(' '), environmentFile);
    if (context.json) context.printJson({ unit });
    else context.print(unit);
  },
});

function requirePlain(given: string, pattern: RegExp): string {
  if (pattern.test(given)) return given;
  throw new HkctlError('usage', `"${given}" cannot stand in a unit.`);
}

/**
 * No MemoryDenyWriteExecute: V8 makes code while it runs, and would be killed. It also asks for memory protection keys
 * (@pkey) at its start; any other call outside the list fails instead of killing the daemon.
 */
function unitText(user: string, exec: string, environmentFile: string): string {
  return `[Unit]
Description=hkctl API daemon
Documentation=man:hkctl-serve(8)
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User=${user}
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
