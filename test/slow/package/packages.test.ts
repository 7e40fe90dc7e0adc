import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../e2e/client.ts';
import { Running, root } from '../../e2e/program.ts';
import { runProgram } from '../../run-program.ts';
import { Machine, withoutNode } from '../machine/machine.ts';
import { needPrograms } from '../machine/needs.ts';
import { madePackages, slowest } from './made.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const name = `hkctl-${version}-${process.platform}-${process.arch}`;
const rpmArchitecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64';

needPrograms('lintian', 'strip');

let folder: string;
let packages: string;
/** An environment in which there is no program but Node.js, and nothing of the checkout. */
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-packages-'));
  packages = await madePackages();
  const path = join(folder, 'path');
  mkdirSync(path);
  symlinkSync(process.execPath, join(path, 'node'));
  env = {
    PATH: path,
    HOME: folder,
    HKCTL_STORE: join(folder, 'state', 'hkctl.db'),
    HKCTL_USER: 'admin',
    NO_COLOR: '1',
  };
}, slowest);
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const tar = (...args: string[]) => {
  const { code, stdout, stderr } = runProgram('tar', args);
  expect(code, stderr).toBe(0);
  return stdout;
};

/** The path of the Debian package whose name begins so. */
function debianPackage(prefix: string): string {
  const files = readdirSync(packages).filter(
    (file) => file.startsWith(prefix) && file.endsWith('.deb'),
  );
  expect(files).toHaveLength(1);
  return join(packages, files[0] ?? '');
}

/** Creates a store and a key, serves, and makes a call with the key. */
async function tryOut(hkctl: string): Promise<void> {
  const run = (...args: string[]) => {
    const { code, stdout, stderr } = runProgram(hkctl, args, {
      env,
      cwd: folder,
    });
    expect(code, `hkctl ${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  const site = ['--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'Europe/Berlin'];
  run('init', '--org', 'Acme', ...site, '--admin', 'admin');
  const secret = run(
    'keys',
    'create',
    '--name',
    'A',
    '--entity',
    'BER',
    '--preset',
    'sensor-gateway',
  ).trim();
  const daemon = new Running(hkctl, ['serve', '--port', '0'], { env, cwd: folder });
  try {
    const [, url] = await daemon.says(/hkctl serves (\S+)/);
    expect(
      (await call(`${url}/api/v1/me`, { secret })).json<{ key: { name: string } }>().key.name,
    ).toBe('A');
    for (const path of [
      '',
      '/swagger-ui.css',
      '/examples/gateway.py',
      '/markdown/hkctl-gateway.7.md',
    ]) {
      expect((await call(`${url}/api/v1/docs${path}`)).status, path).toBe(200);
    }
    expect(checkHealth(url ?? '')).toBe(0);
  } finally {
    await daemon.stop();
  }
  expect(checkHealth(daemon.stdout.match(/http:\/\/[^\s"]+/)?.[0] ?? '')).toBe(1);
  run('backup', join(folder, `${Date.now()}.backup`));
  run('doctor');
  expect(run('examples', 'gateway.py')).toContain('#!/usr/bin/env python3');
  rmSync(join(folder, 'state'), { recursive: true });
}

/** Runs the health check of the image on the Node.js of this machine; its exit code. */
function checkHealth(url: string): number | null {
  const recipe = readFileSync(join(packages, 'Containerfile'), 'utf8');
  const [, ...args] = JSON.parse(/HEALTHCHECK[^[]*\n\s*CMD (\[.*\])/.exec(recipe)?.[1] ?? '[]');
  return runProgram(process.execPath, args, { env: { ...env, HKCTL_PORT: new URL(url).port } })
    .code;
}

describe('the tarball', () => {
  it('runs where there is nothing but Node.js: no npm, no compiler, no checkout', async () => {
    const place = join(folder, 'unpacked');
    mkdirSync(place);
    tar('-xzf', join(packages, `${name}.tar.gz`), '-C', place);
    expect(readdirSync(place)).toEqual([name]);
    await tryOut(join(place, name, 'bin', 'hkctl'));
  });

  it('has the binaries for every supported Node.js, the licence, all notices and what it contains', () => {
    const place = join(folder, 'unpacked', name);
    const driver = join(
      place,
      'node_modules',
      'better-sqlite3',
      'prebuilds',
      `${process.platform}-${process.arch}.node`,
    );
    expect(statSync(driver).size).toBeGreaterThan(1_000_000);
    if (
      existsSync(join(root, 'node_modules/better-sqlite3-12/build/Release/better_sqlite3.node'))
    ) {
      expect(
        existsSync(join(place, 'node_modules/better-sqlite3-12/build/Release/better_sqlite3.node')),
      ).toBe(true);
    }
    expect(readFileSync(join(place, 'LICENSE'), 'utf8')).toMatch(/^MIT License/);
    const bill = JSON.parse(readFileSync(join(place, 'sbom.cdx.json'), 'utf8'));
    expect([bill.bomFormat, bill.specVersion, bill.metadata.component.name]).toEqual([
      'CycloneDX',
      '1.6',
      'hkctl',
    ]);
    // The form that the schema of CycloneDX requires.
    expect(bill.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    );
    const components: { name: string; version: string }[] = bill.components;
    expect(components.map((one) => one.name)).toEqual(
      expect.arrayContaining(['h3', 'commander', 'sqlite']),
    );
    // Everything that lies in node_modules is named, with its notice.
    const notices = readFileSync(join(place, 'NOTICES'), 'utf8');
    const shipped = tar('-tzf', join(packages, `${name}.tar.gz`)).match(
      /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/gm,
    );
    expect(shipped?.length).toBeGreaterThan(20);
    for (const path of shipped ?? []) {
      const one = path.replace(/^node_modules\//, '').replace(/(-12)?\/package\.json$/, '');
      expect(
        components.some((component) => component.name === one),
        one,
      ).toBe(true);
    }
    for (const component of components.filter((one) => one.name !== 'sqlite')) {
      expect(notices).toContain(`\n${component.name} ${component.version} (`);
    }
  });

  it('contains no path of the checkout, no tests and no benchmarks', () => {
    const place = join(folder, 'unpacked', name);
    for (const file of ['sbom.cdx.json', 'NOTICES', 'package.json']) {
      expect(readFileSync(join(place, file), 'utf8')).not.toContain(root);
    }
    expect(
      readdirSync(join(place, 'dist')).filter((file) => /^(bench|attacker|start)\./.test(file)),
    ).toEqual([]);
    expect(statSync(join(packages, `${name}.tar.gz`)).size).toBeLessThan(6 * 1024 * 1024);
  });
});

it('a package for the other processor contains no binary of this one', () => {
  const [processor, machine] = process.arch === 'x64' ? ['arm64', 0xb7] : ['x64', 0x3e];
  const place = join(folder, 'foreign');
  const script = `require('./bin/package/tree.js').makeTree(${JSON.stringify(place)})`;
  const args = ['-e', script, '--', '--arch', processor];
  const { code, stderr } = runProgram(process.execPath, args, { cwd: root });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(`run npm ci with Node 20 on ${processor} before`);

  const binaries = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .filter((bytes) => bytes.subarray(0, 4).toString('latin1') === '\x7fELF');
  // The driver for two C libraries; ELF has the processor at byte 18.
  expect(binaries.map((bytes) => bytes.readUInt16LE(18))).toEqual([machine, machine]);
});

it.each([
  { prefix: 'hkctl_', megabytes: 3.5 },
  { prefix: 'hkctl-node_', megabytes: 36 },
])('the Debian package $prefix satisfies lintian, and is small', ({ prefix, megabytes }) => {
  const file = debianPackage(prefix);
  const { code, stdout } = runProgram('lintian', ['--fail-on', 'error', file]);
  expect([code, stdout.match(/^E:.*$/gm)]).toEqual([0, null]);
  expect(statSync(file).size).toBeLessThan(megabytes * 1024 * 1024);
});

it.each(['hkctl', 'hkctl-node'])(
  '%s for Red Hat has the files of the Debian package',
  (package_) => {
    const rpm = join(packages, `${package_}-${version}.${rpmArchitecture}.rpm`);
    const query = (...args: string[]) => runProgram('rpm', ['-qp', ...args, rpm]).stdout.trim();
    // Each system has places of its own for documents and zsh, and lintian reads a file of its own.
    const isShared = (path: string) => !/^\/usr\/share\/(doc|lintian|zsh)\//.test(path);
    const ofRpm = query('--queryformat', '[%{FILEMODES:perms} %{FILENAMES}\n]')
      .split('\n')
      .filter((line) => !line.startsWith('d'))
      .map((line) => line.split(' ')[1] ?? '');
    const ofDebian = runProgram('dpkg-deb', ['-c', debianPackage(`${package_}_`)])
      .stdout.split('\n')
      .filter((line) => /^[-l]/.test(line))
      .map((line) => /\.(\/\S+)/.exec(line)?.[1] ?? '');
    expect(ofRpm.filter(isShared).sort()).toEqual(ofDebian.filter(isShared).sort());
    expect(query('--configfiles')).toBe('/etc/default/hkctl');
    expect(query('--queryformat', '[%{FILEMODES:octal} %{FILENAMES}\n]')).toContain(
      '100600 /etc/default/hkctl',
    );
    expect(query('--scripts')).toContain('useradd --system');
    expect(query('--requires')).toMatch(/^glibc >= 2\.\d+$/m);
    expect(query('--queryformat', '%{BUILDHOST}')).toBe('localhost');
  },
);

it('SHA256SUMS has the digest of every other file', () => {
  const sums = readFileSync(join(packages, 'SHA256SUMS'), 'utf8');
  const names = sums
    .trim()
    .split('\n')
    .map((line) => line.split('  ')[1]);
  expect([...names, 'SHA256SUMS'].sort()).toEqual(readdirSync(packages).sort());
  expect(names).toEqual(
    expect.arrayContaining([`${name}.tar.gz`, `${name}-node.tar.gz`, `${name}-node.sbom.cdx.json`]),
  );
  const check = ['--check', '--strict', '--quiet', 'SHA256SUMS'];
  expect(runProgram('sha256sum', check, { cwd: packages }).code).toBe(0);
});

it('the package of npm brings what runs, and no more', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = runProgram('npm', args, { cwd: root });
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  const kinds = new Set(
    paths.map((path) =>
      path.replace(/^(dist|migrations)\/.*/, '$1').replace(/^man\/.*\.\d$/, 'man'),
    ),
  );
  expect([...kinds].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin/hkctl.js',
    'dist',
    'man',
    'migrations',
    'package.json',
  ]);
  expect(paths.filter((path) => /^dist\/(bench|attacker|start|packages)\./.test(path))).toEqual([]);
  expect(paths).toEqual(
    expect.arrayContaining(['dist/hkctl.cjs', 'dist/docs/swagger-ui.css', 'dist/NOTICES']),
  );
});

it('contains no tunnel, which would download a program after a question about its licence', () => {
  const dist = join(folder, 'unpacked', name, 'dist');
  const asking = readdirSync(dist).filter(
    (file) => file.endsWith('.cjs') && /cloudflared/.test(readFileSync(join(dist, file), 'utf8')),
  );
  expect(asking).toEqual([]);
});

describe('the Containerfile', () => {
  it('unpacks the tarball with Node.js inside, and runs under an account without rights', () => {
    const recipe = readFileSync(join(packages, 'Containerfile'), 'utf8');
    expect(recipe).toContain(`\nADD ${name}-node.tar.gz /opt/\n`);
    expect(recipe).not.toContain('@NAME@');
    expect(recipe).toMatch(/^USER 10001:10001$/m);
    expect(recipe.indexOf('\nUSER ')).toBeGreaterThan(recipe.lastIndexOf('\nRUN '));
  });

  it('is built in the format that keeps its health check, wherever a person reads how', () => {
    for (const file of [join(packages, 'Containerfile'), join(root, 'README.md')]) {
      const commands = readFileSync(file, 'utf8').match(/podman build.*hkctl packages/g);
      expect(commands).toEqual([expect.stringContaining(' --format docker ')]);
    }
  });
});

describe('the image, built by its recipe on a copy of this machine without Node.js', () => {
  let machine: Machine;
  let variables: string;
  const linesOf = (instruction: string) => {
    const recipe = readFileSync(join(packages, 'Containerfile'), 'utf8').replaceAll('\\\n', '');
    return [...recipe.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(
      ([, rest = '']) => rest,
    );
  };
  const check = async () => {
    const [, command = '[]'] = /CMD (\[.*\])/.exec(linesOf('HEALTHCHECK').join()) ?? [];
    const words = JSON.parse(command).map((word: string) => `'${word.replaceAll("'", "'\\''")}'`);
    return machine.run(
      'hkctl',
      `export ${variables}\n${words.join(' ')} && echo healthy || echo "unhealthy $?"`,
    );
  };
  beforeAll(async () => {
    machine = await Machine.open('openssl');
    variables = linesOf('ENV').join(' ');
    await machine.run(
      'root',
      `${withoutNode}\ntar -xzf ${join(packages, `${name}-node.tar.gz`)} -C /opt\n${linesOf('RUN').join('\n')}`,
    );
    // As `--read-only --tmpfs /tmp` with a volume.
    await machine.run(
      'root',
      `mount -t tmpfs -o mode=1777 none /tmp
      mount -t tmpfs -o "mode=$(stat -c %a /var/lib/hkctl),uid=$(stat -c %u /var/lib/hkctl)" none /var/lib/hkctl
      mount -o remount,ro /`,
    );
  });
  afterAll(() => machine?.close());

  it('runs under an account without rights on a root that nobody can write, and knows its health', async () => {
    expect(await machine.run('hkctl', 'id -u; touch /opt/x 2>&1 || true')).toMatch(
      /^10001\n.*Read-only file system/,
    );
    const site = '--org A --entity BER --entity-name B --timezone UTC --admin admin';
    await machine.run('hkctl', `export ${variables}\ncd ${linesOf('WORKDIR')}\nhkctl init ${site}`);
    expect(await check()).toBe('unhealthy 1\n');
    const command = [...linesOf('ENTRYPOINT'), ...linesOf('CMD')]
      .flatMap((words) => JSON.parse(words))
      .join(' ');
    const pair = '-keyout /tmp/key.pem -out /tmp/cert.pem';
    await machine.run(
      'hkctl',
      `openssl req -x509 -newkey rsa:2048 -nodes ${pair} -subj /CN=localhost 2> /tmp/log`,
    );
    for (const tls of ['', ' HKCTL_TLS_CERT=/tmp/cert.pem HKCTL_TLS_KEY=/tmp/key.pem']) {
      variables = linesOf('ENV').join(' ') + tls;
      const daemon = machine.start(
        'hkctl',
        `export ${variables}\necho $$ > /tmp/pid\nexec ${command}`,
      );
      await daemon.says(/:8420/);
      expect(await check(), tls).toBe('healthy\n');
      await machine.run('hkctl', `kill -${linesOf('STOPSIGNAL')[0]?.slice(3)} "$(cat /tmp/pid)"`);
      expect((await daemon.ended).code).toBe(0);
    }
    expect(await check()).toBe('unhealthy 1\n');
  });
});

describe('the Debian package, in a copy of this machine', () => {
  let machine: Machine;
  let file: string;
  beforeAll(async () => {
    machine = await Machine.open('dpkg-deb');
    // A copy of a machine where it is installed would have it, too.
    await machine.run('root', '! dpkg -s hkctl 2> /dev/null && ! ls /var/lib/hkctl 2> /dev/null');
    file = debianPackage('hkctl_');
    await machine.run('root', `ln -sf ${process.execPath} /usr/local/bin/node`);
  });
  afterAll(() => machine?.close());

  it('installs program, units, pages and completions, and makes the account with its folder', async () => {
    expect(await machine.run('root', `dpkg -i ${file}`)).toContain(
      'hkctl init --store /var/lib/hkctl/hkctl.db',
    );
    expect(await machine.run('root', 'stat -c "%a %U" /var/lib/hkctl')).toBe('700 hkctl\n');
    expect(await machine.run('root', 'stat -c "%a %U" /etc/default/hkctl')).toBe('600 root\n');
    const listed = (await machine.run('root', 'dpkg -L hkctl')).split('\n');
    for (const path of [
      '/usr/bin/hkctl',
      '/etc/default/hkctl',
      '/usr/lib/systemd/system/hkctl.service',
      '/usr/lib/systemd/system/hkctl.socket',
      '/usr/lib/systemd/system/hkctl-backup.service',
      '/usr/lib/systemd/system/hkctl-backup.timer',
      '/usr/share/man/man8/hkctl-serve.8.gz',
      '/usr/share/man/man7/hkctl-resources.7.gz',
      '/usr/share/bash-completion/completions/hkctl',
      '/usr/share/doc/hkctl/copyright',
      '/usr/share/doc/hkctl/sbom.cdx.json.gz',
    ]) {
      expect(listed).toContain(path);
    }
    const unit = await machine.run('root', 'cat /usr/lib/systemd/system/hkctl.service');
    expect(unit).toContain('ExecStart=/usr/bin/hkctl serve\n');
    const called = await machine.run(
      'root',
      `export HKCTL_STORE=/root/plant/hkctl.db HKCTL_USER=admin
      hkctl init --org Acme --entity BER --entity-name Berlin --timezone Europe/Berlin --admin admin
      hkctl keys create --name A --entity BER --preset sensor-gateway --secret-file key
      hkctl serve & daemon=$!
      curl -sS --retry 50 --retry-delay 1 --retry-connrefused -H "Authorization: Bearer $(cat key)" http://127.0.0.1:8420/api/v1/me
      kill $daemon
      wait $daemon`,
    );
    expect(called).toContain('"code":"BER"');
  });

  it('closes the file of variables of an older version, which may hold a password, and keeps a mode that was chosen', async () => {
    const modeAfter = (mode: string) =>
      machine.run(
        'root',
        `echo HKCTL_LOG_LEVEL=warn > /etc/default/hkctl && chmod ${mode} /etc/default/hkctl && dpkg -i ${file} > log 2>&1
        stat -c %a /etc/default/hkctl && cat /etc/default/hkctl`,
      );
    expect(await modeAfter('644')).toBe('600\nHKCTL_LOG_LEVEL=warn\n');
    expect(await modeAfter('640')).toBe('640\nHKCTL_LOG_LEVEL=warn\n');
    await machine.run('root', `rm /etc/default/hkctl && dpkg -i ${file}`);
  });

  it('is installed again without a change, keeps the store when it is removed, and leaves no file behind', async () => {
    const site = '--org A --entity BER --entity-name B --timezone UTC --admin root';
    await machine.run('root', `hkctl init --store /var/lib/hkctl/hkctl.db ${site}`);
    const again = await machine.run('root', `dpkg -i ${file}`);
    expect(again).toMatch(/hkctl migrate .* && sudo systemctl enable --now hkctl/);
    await machine.run('root', 'hkctl doctor --store /var/lib/hkctl/hkctl.db');
    expect(await machine.run('root', 'dpkg --purge hkctl')).toContain('/var/lib/hkctl stays');
    await machine.run('root', '[ ! -e /usr/lib/hkctl ] && [ -e /var/lib/hkctl/hkctl.db ]');
  });
});
