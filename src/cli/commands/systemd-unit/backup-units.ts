import { hardening } from './hardening.ts';
import type { Unit } from './unit.ts';

/** What the units of the nightly backup depend on. `exec` is a command line as systemd reads it. */
interface BackupUnitOptions {
  account: string;
  exec: string;
  environmentFile: string;
  /** The folder of the backups; without one a folder inside the state directory, which systemd makes. */
  folder: string | undefined;
  /** The number of backups to keep. */
  keep: number;
}

/** The service that writes one backup, and the timer that starts it every night. A store on PostgreSQL needs the network. */
export function backupUnits({ account, exec, environmentFile, folder, keep }: BackupUnitOptions): Unit[] {
  const service = `[Unit]
Description=hkctl backup
Documentation=man:hkctl-backup(1)

[Service]
Type=oneshot
User=${account}
SyslogIdentifier=hkctl-backup
EnvironmentFile=-${environmentFile}
StateDirectory=hkctl${folder === undefined ? ' hkctl/backups' : ''}
StateDirectoryMode=0700
${folder === undefined ? '' : `ReadWritePaths=${folder}\n`}UMask=0077
ExecStart=${exec} backup --keep ${keep} ${folder ?? '%S/hkctl/backups'}
Nice=10
IOSchedulingClass=idle
LimitCORE=0

RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
${hardening}`;
  const timer = `[Unit]
Description=hkctl backup every night
Documentation=man:hkctl-backup(1)

[Timer]
OnCalendar=*-*-* 02:30:00
RandomizedDelaySec=15min
Persistent=yes

[Install]
WantedBy=timers.target`;
  return [
    { name: 'hkctl-backup.service', text: service },
    { name: 'hkctl-backup.timer', text: timer },
  ];
}
