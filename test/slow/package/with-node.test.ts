import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../e2e/program.ts';
import { Machine, withoutNode } from '../machine/machine.ts';
import { madePackages, slowest } from './made.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pinned = JSON.parse(readFileSync(join(root, 'bin/package/node.json'), 'utf8'));
const name = `hkctl-${version}-${process.platform}-${process.arch}-node`;
const site = '--org Acme --entity BER --entity-name Berlin --timezone Europe/Berlin --admin admin';

let packages: string;
beforeAll(async () => {
  packages = await madePackages();
}, slowest);

describe('the tarball with Node.js inside', () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.open('curl', 'dpkg');
    // A root with the shell and the C library of this machine, and no other program or library.
    await machine.run(
      'root',
      `mkdir -p /small/bin /small/opt /small/tmp /small/proc /small/dev
      cp "$(readlink -f /bin/sh)" /small/bin/sh
      for file in $(dpkg -L libc6 | grep -E '[.]so([.]|$)'); do [ -d "$file" ] || cp -L --parents "$file" /small; done
      [ -z "$(find /small -name 'libstdc*' -o -name 'libgcc*')" ]
      mount --rbind /dev /small/dev
      mount -t proc none /small/proc
      tar -xzf ${join(packages, `${name}.tar.gz`)} -C /small/opt`,
    );
  }, slowest);
  afterAll(() => machine?.close());

  /** Runs hkctl in that root, whose only network is the loopback one. */
  const hkctl = (args: string) =>
    `HKCTL_STORE=/tmp/store/hkctl.db HKCTL_USER=admin chroot /small /opt/${name}/bin/hkctl ${args}`;

  it('runs where there is nothing but a C library and a shell', async () => {
    expect(await machine.run('root', hkctl('--version'))).toContain(version);
    const called = await machine.run(
      'root',
      `${hkctl(`init ${site}`)}
      ${hkctl('keys create --name A --entity BER --preset sensor-gateway --secret-file /tmp/key')}
      ${hkctl('serve --port 8421')} & daemon=$!
      curl -sS --retry 50 --retry-delay 1 --retry-connrefused -H "Authorization: Bearer $(cat /small/tmp/key)" \\
        http://127.0.0.1:8421/api/v1/me
      kill $daemon
      wait $daemon`,
    );
    expect(called).toContain('"code":"BER"');
  });

  it('is found through links, and a unit calls it by a name that stays after an upgrade', async () => {
    const printed = await machine.run(
      'root',
      `${withoutNode}
      mv /small/opt/${name} /opt
      mkdir -p '/srv/a plant/bin'
      ln -s ${name} /opt/hkctl
      ln -s /opt/hkctl/bin/hkctl /usr/local/bin/hkctl
      ln -s ../../../opt/hkctl/bin/hkctl '/srv/a plant/bin/linked'
      ln -s '/srv/a plant/bin' /other
      cd /srv
      for program in hkctl /other/linked './a plant/bin/linked'; do "$program" systemd-unit | grep ^ExecStart=; done
      cd /opt/hkctl
      CDPATH=/ bin/hkctl systemd-unit | grep ^ExecStart=`,
    );
    expect(printed.trim().split('\n').slice(-4)).toEqual(
      Array(4).fill('ExecStart=/opt/hkctl/bin/hkctl serve'),
    );
  });

  it('names the pinned Node.js and all else that it contains, each with its licence', async () => {
    const read = (file: string) => machine.run('root', `cat /opt/${name}/${file}`);
    expect(await machine.run('root', `/opt/${name}/libexec/node --version`)).toBe(
      `v${pinned.version}\n`,
    );
    const bill: { components: { name: string; version: string; hashes?: { alg: string }[] }[] } =
      JSON.parse(await read('sbom.cdx.json'));
    const notices = await read('NOTICES');
    for (const part of bill.components.filter((one) => one.name !== 'sqlite')) {
      expect(notices).toContain(`\n${part.name} ${part.version} (`);
    }
    const node = bill.components.find((one) => /^node-linux-/.test(one.name));
    expect([node?.version, node?.hashes?.[0]?.alg]).toEqual([pinned.version, 'SHA-512']);
    expect(bill.components.map((one) => one.name)).toEqual(
      expect.arrayContaining(['libstdc++6', 'libgcc-s1']),
    );
    for (const text of [
      'Node.js is licensed for use as follows',
      'GCC RUNTIME LIBRARY EXCEPTION',
      'GNU GENERAL PUBLIC LICENSE',
    ]) {
      expect(notices).toContain(text);
    }
    // The driver of Node 20, and that of another C library, would never be loaded.
    expect(await machine.run('root', `find /opt/${name} -name '*.node'`)).toBe(
      `/opt/${name}/node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node\n`,
    );
  });
});

describe('the Debian package with Node.js inside, under systemd without Node.js or a network', () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.boot('dpkg', 'curl', 'runuser');
    machine.copy(packages, '/opt/packages');
    await machine.run('root', withoutNode);
  }, slowest);
  afterAll(() => machine?.close());

  const asHkctl = (args: string) =>
    `runuser -u hkctl -- env HKCTL_STORE=/var/lib/hkctl/hkctl.db HKCTL_USER=admin hkctl ${args}`;
  const readMe = `curl -sS -H "Authorization: Bearer $(cat key)" http://127.0.0.1:8420/api/v1/me`;

  it('is installed by one command, and serves', async () => {
    expect(await machine.run('root', 'dpkg -i /opt/packages/hkctl-node_*.deb')).toContain(
      'hkctl init --store /var/lib/hkctl/hkctl.db',
    );
    await machine.run(
      'root',
      `${asHkctl(`init ${site}`)}
      ${asHkctl('keys create --name A --entity BER --preset sensor-gateway')} > key
      systemctl enable --now hkctl.socket hkctl.service`,
    );
    expect(await machine.run('root', readMe)).toContain('"code":"BER"');
    expect(
      await machine.run('root', 'readlink "/proc/$(systemctl show -P MainPID hkctl)/exe"'),
    ).toBe('/usr/lib/hkctl/libexec/node\n');
    expect(await machine.run('root', 'man -w hkctl-serve; dpkg -L hkctl-node')).toMatch(
      /hkctl-serve\.8\.gz[\s\S]*\/usr\/share\/bash-completion\/completions\/hkctl\n/,
    );
    expect(await machine.run('root', 'dpkg-deb -f /opt/packages/hkctl-node_*.deb Depends')).toMatch(
      /^libc6 \(>= 2\.\d+\), libc6 \(>= 2\.\d+\) \| libstdc\+\+6 \(>= 11\), passwd$/m,
    );
  });

  it('takes turns with the package without Node.js, while the daemon serves and variables stay', async () => {
    await machine.run('root', 'echo HKCTL_LOG_LEVEL=warn >> /etc/default/hkctl');
    for (const [file, gone] of [
      ['hkctl_*.deb', 'hkctl-node'],
      ['hkctl-node_*.deb', 'hkctl'],
    ]) {
      const installed = await machine.run('root', `dpkg -i /opt/packages/${file}`);
      expect(installed).toContain(`Removing ${gone} `);
      expect(installed).toContain('sudo systemctl restart hkctl');
      expect(
        await machine.run(
          'root',
          'systemctl is-active hkctl.service; tail -n 1 /etc/default/hkctl',
        ),
      ).toBe('active\nHKCTL_LOG_LEVEL=warn\n');
      await machine.run('root', `dpkg --purge ${gone} && [ -e /etc/default/hkctl ]`);
    }
    await machine.run('root', 'systemctl restart hkctl');
    expect(await machine.run('root', readMe)).toContain('"code":"BER"');
  });

  it('ends the daemon when it is removed, and leaves only the store', async () => {
    // Root may write there: Node.js keeps what it has compiled.
    await machine.run('root', 'hkctl --version && [ -e /usr/lib/hkctl/dist/compile-cache ]');
    expect(await machine.run('root', 'dpkg --purge hkctl-node')).toContain('/var/lib/hkctl stays');
    await machine.run(
      'root',
      '! systemctl is-active hkctl.service && [ ! -e /usr/lib/hkctl ] && [ -e /var/lib/hkctl/hkctl.db ]',
    );
  });
});
