import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ShellBlock, shellBlocks } from '../../docs/mdoc.ts';
import { root, until } from '../../e2e/program.ts';
import { Machine, withoutNode } from '../machine/machine.ts';
import { madePackages, slowest } from '../package/made.ts';

/** What a new administrator types: the README, then the page of tasks that it leads to. */
const blocks: ShellBlock[] = [
  ...readFileSync(join(root, 'README.md'), 'utf8')
    .split(/^#+ /m)
    .flatMap((section) =>
      [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => ({
        heading: section.slice(0, section.indexOf('\n')),
        text,
      })),
    ),
  ...shellBlocks('hkctl-tasks.7'),
];

/**
 * What a machine without network and a builder of images has instead. `npm start` and `npm test` are typed by other
 * tests; the packages were made before, and the steps of the image are run in test/slow/package.
 */
const stubs: Record<string, string> = {
  npm: `case "$*" in
    ci | start | test) ;;
    'run package') cp -r /opt/packages . ;;
    *) exit 1 ;;
  esac`,
  rpm: '[ "$1" = -i ] && [ -s "$2" ]',
  podman:
    '[ "$*" = "build --format docker -t hkctl packages" ] && grep -q ^ENTRYPOINT packages/Containerfile',
};

/** Makes a server where the package was just installed of one with a store. */
const newServer = `sudo mv /var/lib/hkctl /var/lib/old-server
sudo install -d -o hkctl -g hkctl -m 700 /var/lib/hkctl`;

describe('every task of the README and of hkctl-tasks(7), typed in order', () => {
  let machine: Machine;
  /** The daemon in the first terminal of the account, until systemd runs one. */
  let daemon: ReturnType<Machine['start']> | undefined;
  beforeAll(async () => {
    machine = await Machine.boot('sudo', 'dpkg', 'openssl', 'curl');
    const files = Object.entries(stubs).map(
      ([name, text]) => `cat > /usr/local/sbin/${name} <<'END'\n#!/bin/sh\n${text}\nEND`,
    );
    machine.copy(await madePackages(), '/opt/packages');
    // A new account that may use sudo, on a machine that never had hkctl or Node.js.
    await machine.run(
      'root',
      `${files.join('\n')}
      chmod 755 /usr/local/sbin/*
      useradd --create-home --shell /bin/bash ada
      echo 'ada ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/ada
      ! which hkctl && ! id hkctl 2> /dev/null
      ${withoutNode}`,
    );
  }, slowest);
  afterAll(() => machine?.close());

  /** Starts a daemon and waits until it serves. */
  async function serve(line: string) {
    const started = machine.start('ada', `echo $$ > serve.pid; exec ${line}`);
    await started.says(/hkctl serves/);
    return started;
  }

  async function stop(started: ReturnType<Machine['start']> | undefined) {
    await machine.run('ada', 'kill "$(cat serve.pid)"');
    await started?.ended;
  }

  it.each(blocks.map(({ heading, text }, n) => ({ heading, text, n })))(
    '$n: $heading',
    async ({ text }) => {
      if (daemon && text.includes('systemctl enable --now hkctl.socket')) {
        await stop(daemon);
        daemon = undefined;
      }
      // The name that a reader fills in.
      let typed = text;
      if (typed.includes('/FILE')) {
        const [newest = ''] = (await machine.run('root', 'ls -t /var/lib/hkctl/backups')).split(
          '\n',
        );
        typed = typed.replace('/FILE', `/${newest}`);
      }
      // On a terminal these ask, which test/slow/cli types.
      typed = typed.replace(/^(sudo -u hkctl hkctl restore )/m, '$1--yes ');
      // The new server has an account of that name, and no store.
      typed = typed.replace(
        /^(?=sudo install -o hkctl)/m,
        `sudo cp /var/lib/hkctl/move.backup .\n${newServer}\n`,
      );
      // Exit code 5 of the scan means that it has found something.
      typed = typed.replace(/^(hkctl keys scan .* --revoke)/m, '$1 --yes || [ $? = 5 ]');
      const answers = '--org Acme --entity BER --entity-name Berlin --timezone UTC';
      typed = typed.replace(/^(sudo -u hkctl hkctl init .*)$/m, `$1 ${answers}`);
      const daemons = typed.split('\n').filter((line) => line.startsWith('hkctl serve'));
      const rest = typed.split('\n').filter((line) => !line.startsWith('hkctl serve'));
      const script = rest.join('\n');
      if (script.trim() !== '') await machine.run('ada', script);
      // What its timer does at night.
      if (text.includes('hkctl-backup.timer'))
        await machine.run('root', 'systemctl start hkctl-backup.service');
      if (daemons.length > 1)
        await machine.run('root', 'systemctl stop hkctl.socket hkctl.service');
      for (const line of daemons) {
        const started = await serve(line);
        if (daemons.length === 1) daemon = started;
        else await stop(started);
      }
      if (daemons.length > 1)
        await machine.run('root', 'systemctl start hkctl.socket hkctl.service');
    },
  );

  it('leaves what the tasks promise', async () => {
    expect(await machine.run('ada', 'ls -l gateway.key new.key | cut -c 1-10')).toBe(
      '-rw-------\n-rw-------\n',
    );
    const status = await machine.run(
      'ada',
      'hkctl keys verify < new.key; hkctl keys verify < gateway.key || echo $?',
    );
    expect(status).toMatch(/would be let in[\s\S]*would be refused\.\n5\n/);
    expect(await machine.run('ada', 'hkctl keys verify < reporting.key || echo $?')).toMatch(
      /would be refused\.\n5\n/,
    );
    expect(await machine.run('ada', 'sudo ls /var/lib/old-server/backups | wc -l')).toBe('1\n');
    expect(await machine.run('ada', 'curl -sS http://127.0.0.1:8420/readyz')).toContain('ready');
    expect(
      await machine.run('ada', 'hkctl keys list --store /var/lib/hkctl/hkctl.db 2>&1 || true'),
    ).toContain('cannot be opened or written by this account');
    expect(await machine.run('ada', 'sudo -u hkctl hkctl users list --json')).toContain(
      '"login":"ada"',
    );
  });

  const pidOfDaemon = async () =>
    (await machine.run('root', 'systemctl show -P MainPID hkctl')).trim();

  it('under the restrictions of the unit answers large reads too', async () => {
    await machine.run(
      'ada',
      `sudo -u hkctl hkctl import sensors - --entity BER < sensors.csv
      rights='--permission asset_sensors.ingest --permission asset_sensors.view'
      sudo -u hkctl hkctl keys create --name R --entity BER $rights > read.key
      /usr/lib/hkctl/libexec/node > readings.json <<'END'
      const at = (n) => new Date(Date.UTC(2026, 10, 20) + n * 1000).toISOString();
      const readings = Array.from({ length: 600 }, (_, n) => ({ sensor: 'OVEN-3-T1', at: at(n), value: n }));
      console.log(JSON.stringify({ readings }));
END`,
    );
    const curl = `curl -sS -H "Authorization: Bearer $(cat read.key)" http://127.0.0.1:8420/api/v1/sensors`;
    const json = `-H 'Content-Type: application/json' -d @readings.json`;
    expect(await machine.run('ada', `${curl}/readings ${json}`)).toContain('"accepted":600');
    const [status, filter] = (
      await machine.run(
        'ada',
        `${curl}/SE-1/readings?limit=600 -o read.json -w '%{http_code}\n'
      sudo grep ^Seccomp: /proc/${await pidOfDaemon()}/status`,
      )
    ).split('\n');
    expect([status, filter]).toEqual(['200', 'Seccomp:\t2']);
    expect(await machine.run('ada', 'grep -o value read.json | wc -l')).toBe('600\n');
  });

  it('reports a store on PostgreSQL that a service may not reach', async () => {
    const confined = 'systemd-run --quiet --wait --pipe --property RestrictAddressFamilies=AF_UNIX';
    const status = 'hkctl status --store postgres://hkctl@127.0.0.1/plant';
    expect(await machine.run('root', `${confined} ${status} || echo "exit code $?"`)).toMatch(
      /^exit code 6\nerror: No PostgreSQL server can be reached/,
    );
  });

  it('refuses no connection while the service is restarted, and restarts one that hangs', async () => {
    await machine.run(
      'root',
      `mkdir /etc/systemd/system/hkctl.service.d
      printf '[Service]\nWatchdogSec=2\nRestartSec=0\n' > /etc/systemd/system/hkctl.service.d/short.conf
      systemctl daemon-reload`,
    );
    const answers = await machine.run(
      'ada',
      `restart() { for n in 1 2 3; do sudo systemctl restart hkctl; sleep 0.2; done; }
      restart &
      while kill -0 $! 2> /dev/null; do curl -s -o answer -w '%{http_code}\n' http://127.0.0.1:8420/healthz || echo refused; done`,
    );
    expect(new Set(answers.trim().split('\n'))).toEqual(new Set(['200']));
    const hanging = await pidOfDaemon();
    await machine.run('root', `kill -STOP ${hanging}`);
    await until(
      'the watchdog starts another daemon',
      async () => !['0', hanging].includes(await pidOfDaemon()),
    );
    expect(await machine.run('ada', 'curl -sS http://127.0.0.1:8420/readyz')).toContain('ready');
  });
});
