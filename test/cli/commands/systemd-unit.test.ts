import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Cli } from '../harness.ts';

const cli = new Cli();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-units-'));
});

const text = async (...flags: string[]) => (await cli.ok(['systemd-unit', ...flags])).stdout;

describe('systemd-unit', () => {
  it('prints a service that reports its state, is watched and has a name in the journal', async () => {
    const unit = await text();
    for (const line of [
      'Type=notify',
      'NotifyAccess=all',
      'WatchdogSec=30',
      'SyslogIdentifier=hkctl',
    ]) {
      expect(unit.split('\n')).toContain(line);
    }
    expect(unit).toContain('ExecStart=/usr/bin/node /usr/lib/hkctl/bin/hkctl.js serve\n');
    expect(unit).not.toContain('LoadCredential');
    // By default journald would drop lines of a busy daemon, among them heads of the audit trail.
    expect(unit).toContain('\nLogRateLimitIntervalSec=0\n');
  });

  it('passes a certificate and its key, which only root reads', async () => {
    const unit = await text(
      '--tls-cert',
      '/etc/ssl/api.pem',
      '--tls-key',
      '/etc/ssl/private/api.key',
    );
    expect(unit).toContain(
      '\nLoadCredential=tls-cert:/etc/ssl/api.pem\nLoadCredential=tls-key:/etc/ssl/private/api.key\n',
    );
    const folder = `\${CREDENTIALS_DIRECTORY}`;
    expect(unit).toContain(` serve --tls-cert ${folder}/tls-cert --tls-key ${folder}/tls-key\n`);
    expect((await cli.run('systemd-unit --tls-cert /a')).stderr).toContain('--tls-key is missing');
  });

  it.each(['/home/ada', '/root', '/run/user/1000', '/tmp', '/var/tmp', '/opt/../tmp'])(
    'refuses a program and a folder of backups below %s, which the unit hides',
    async (hidden) => {
      for (const line of [
        ['--exec', `${hidden}/hkctl`],
        ['--backup', '--backup-folder', hidden],
      ]) {
        const { code, stdout, stderr } = await cli.run(['systemd-unit', ...line]);
        expect([code, stdout, stderr]).toEqual([
          2,
          '',
          expect.stringMatching(/folder that the unit hides: \/home, \/root, .*hint: /s),
        ]);
      }
      // The socket starts no program itself.
      await text('--socket', '--exec', `${hidden}/hkctl`);
    },
  );

  it('refuses a program behind a link to a folder that the unit hides', async () => {
    const program = mkdtempSync('/tmp/hkctl-program-');
    const fd = openSync(program, 'r');
    onTestFinished(() => {
      closeSync(fd);
      rmSync(program, { recursive: true });
    });
    // A link outside of these folders, without making one there.
    const { code, stderr } = await cli.run(['systemd-unit', '--exec', `/proc/self/fd/${fd}`]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`/proc/self/fd/${fd} (${program}) is in a folder`),
    ]);
    for (const open of ['/opt/hkctl', '/tmpx/hkctl', '/homes/hkctl']) await text('--exec', open);
  });

  it('--socket prints the socket, at any address', async () => {
    expect(await text('--socket')).toContain('\nListenStream=127.0.0.1:8420\n');
    expect(await text('--socket', '--host', '::', '--port', '8443')).toContain(
      '\nListenStream=[::]:8443\n',
    );
    expect((await cli.run(['systemd-unit', '--socket', '--host', 'a\nb'])).code).toBe(2);
  });

  it('--backup prints service and timer', async () => {
    const both = await text('--backup');
    expect(both).toMatch(
      /^# hkctl-backup.service\n\[Unit\][\s\S]*\n\n# hkctl-backup.timer\n\[Unit\]/,
    );
    expect(both).toContain(' backup --keep 14 %S/hkctl/backups\n');
    expect(both).toContain('\nOnCalendar=*-*-* 02:30:00\n');
    // The store may be on PostgreSQL at another machine.
    expect(both).toContain('\nRestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n');
    expect(both).not.toMatch(/PrivateNetwork|IPAddressDeny/);
    const elsewhere = await text('--backup', '--backup-folder', '/mnt/backups', '--keep', '30');
    expect(elsewhere).toContain(' backup --keep 30 /mnt/backups\n');
    expect(elsewhere).toContain('\nReadWritePaths=/mnt/backups\n');
    for (const wrong of ['relative', '/a b', '/a\nUser=root', '/a$b', '/a%b']) {
      expect(
        (await cli.run(['systemd-unit', '--backup', '--backup-folder', wrong])).code,
        wrong,
      ).toBe(2);
    }
    const { units } = (await cli.ok('systemd-unit --backup --json')).json<{
      units: { name: string }[];
    }>();
    expect(units.map(({ name }) => name)).toEqual(['hkctl-backup.service', 'hkctl-backup.timer']);
  });

  it('--status sees a daemon that was stopped, or never came up', async () => {
    expect(await text('--status')).toMatch(/^ExecStart=.* status --expect-daemon --quiet$/m);
  });

  it('--status passes on only lines of the unit, under the account', async () => {
    const units = await text('--status', '--account', 'plant', '--call', 'tell');
    const [, failed = ''] = units.split('# hkctl-status-failed.service');
    expect(failed).toContain('\nUser=plant\nSupplementaryGroups=systemd-journal\n');
    expect(failed).toMatch(
      /ExecStart=\/bin\/sh -c "journalctl _SYSTEMD_UNIT=hkctl-status.service .*\| sed 's\/\^~\/ ~\/' \| tell"\n/,
    );
    expect(failed).not.toContain('--identifier');
    // Programs that send mail get their rights by setuid or setgid, which these settings forbid.
    expect(failed).not.toMatch(
      /NoNewPrivileges|RestrictSUIDSGID|SystemCall|PrivateDevices|Restrict|Lock|ProtectKernel|ProtectClock/,
    );
  });

  it('--folder writes files that everybody can read under any umask, and leaves edited ones alone', async () => {
    const umaskBefore = process.umask(0o077);
    onTestFinished(() => {
      process.umask(umaskBefore);
    });
    await cli.ok(['systemd-unit', '--socket', '--backup', '--folder', folder]);
    expect(readdirSync(folder).sort()).toEqual([
      'hkctl-backup.service',
      'hkctl-backup.timer',
      'hkctl.socket',
    ]);
    const file = join(folder, 'hkctl.socket');
    expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([
      0o644,
      await text('--socket'),
    ]);
    // Again it is the same; after an edit nothing is written, not even what is missing.
    await cli.ok(['systemd-unit', '--socket', '--folder', folder]);
    writeFileSync(join(folder, 'hkctl-backup.timer'), 'mine');
    const { code, stderr } = await cli.run([
      'systemd-unit',
      '--backup',
      '--keep',
      '3',
      '--folder',
      folder,
    ]);
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('hkctl-backup.service is there already'),
    ]);
    expect(readFileSync(join(folder, 'hkctl-backup.timer'), 'utf8')).toBe('mine');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'hkctl.service'));
    expect((await cli.run(['systemd-unit', '--folder', folder])).code).not.toBe(0);
    expect(readdirSync(folder)).not.toContain('elsewhere');
    expect((await cli.run(['systemd-unit', '--folder', join(folder, 'nowhere')])).stderr).toContain(
      'its folder does not exist',
    );
  });
});

it.each([
  ['--call mail', '--call needs --status'],
  ['--call mail --backup', '--call needs --status'],
  ['--backup-folder /srv/b', '--backup-folder needs --backup'],
])('%s is refused where no unit contains it', async (flags, message) => {
  const { code, error } = await cli.run(`systemd-unit --json --exec /usr/bin/hkctl ${flags}`);
  expect([code, error().message]).toEqual([2, expect.stringContaining(message)]);
});
