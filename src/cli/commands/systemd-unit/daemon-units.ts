import { hardening } from './hardening.ts';
import type { Unit } from './unit.ts';

/** What the units of the daemon depend on. `exec` is a command line as systemd reads it. */
interface DaemonUnitOptions {
  account: string;
  exec: string;
  environmentFile: string;
  /** Paths of a certificate and its key, which systemd reads as root and passes on. */
  tls: { cert: string; key: string } | undefined;
}

/**
 * The service of the daemon. systemd-notify sends its messages, hence `NotifyAccess=all`. It is started again without end,
 * since a store that was locked, full or not migrated yet becomes usable while it runs. The journal may drop no line, or many
 * requests would hide heads of the audit trail; limits of each key and address bound their number. Large reads lower the
 * priority of their thread (setpriority).
 */
export function daemonService({ account, exec, environmentFile, tls }: DaemonUnitOptions): Unit {
  // The specifier %d would need systemd 250; the variable has been there since 247.
  const folder = `\${CREDENTIALS_DIRECTORY}`;
  const flags = tls ? ` --tls-cert ${folder}/tls-cert --tls-key ${folder}/tls-key` : '';
  const credentials = tls ? `LoadCredential=tls-cert:${tls.cert}\nLoadCredential=tls-key:${tls.key}\n` : '';
  const text = `[Unit]
Description=hkctl API daemon
Documentation=man:hkctl-serve(8)
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=all
WatchdogSec=30
User=${account}
SyslogIdentifier=hkctl
LogRateLimitIntervalSec=0
EnvironmentFile=-${environmentFile}
StateDirectory=hkctl
StateDirectoryMode=0700
UMask=0077
${credentials}ExecStart=${exec} serve${flags}
ExecReload=kill -HUP $MAINPID
KillSignal=SIGTERM
TimeoutStopSec=30
Restart=on-failure
RestartSec=5
LimitNOFILE=65536
LimitCORE=0

RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
${hardening}
SystemCallFilter=setpriority

[Install]
WantedBy=multi-user.target`;
  return { name: 'hkctl.service', text };
}

/**
 * The socket of the daemon. systemd keeps it open and passes it to the service of the same name, so that connections wait
 * while the daemon is restarted.
 */
export function daemonSocket(host: string, port: number): Unit {
  const text = `[Unit]
Description=hkctl API socket
Documentation=man:hkctl-serve(8)

[Socket]
ListenStream=${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}
Backlog=4096
NoDelay=yes

[Install]
WantedBy=sockets.target`;
  return { name: 'hkctl.socket', text };
}
