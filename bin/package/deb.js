'use strict';

const { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync } = require('node:fs');
const { rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { gzipSync } = require('node:zlib');
const { readPackage } = require('./dependencies.js');
const { output, root, run, buildTime } = require('./place.js');

const architectures = { x64: 'amd64', arm64: 'arm64' };

/**
 * Makes a Debian package of a filled folder and returns its path. It brings units, manual pages and completions, and makes the
 * account `hkctl` and its folder. It starts nothing: first somebody creates a store.
 */
function makeDeb(tree) {
  const { version, description, author } = readPackage(root);
  const architecture = architectures[process.arch];
  const stage = join(output, 'deb');
  rmSync(stage, { recursive: true, force: true });
  const put = (path, content, mode = 0o644) => {
    const file = join(stage, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  const program = join(stage, 'usr', 'lib', 'hkctl');
  cpSync(tree, program, { recursive: true, verbatimSymlinks: true });
  // Debian has places of its own for these.
  for (const name of ['man', 'CHANGELOG.md', 'LICENSE', 'NOTICES', 'sbom.cdx.json', 'README.md']) {
    rmSync(join(program, name), { recursive: true });
  }
  // Debian brings these, too: the C library is not musl, and the clipboard has a package.
  for (const name of [
    'better-sqlite3/prebuilds/linuxmusl-x64.node',
    'better-sqlite3/prebuilds/linuxmusl-arm64.node',
    'clipboardy/fallbacks',
  ]) {
    rmSync(join(program, 'node_modules', name), { recursive: true, force: true });
  }
  mkdirSync(join(stage, 'usr', 'bin'));
  symlinkSync('../lib/hkctl/bin/hkctl.js', join(stage, 'usr', 'bin', 'hkctl'));
  for (const page of readdirSync(join(tree, 'man')).filter((name) => /\.\d$/.test(name))) {
    put(
      `usr/share/man/man${page.at(-1)}/${page}.gz`,
      zipped(readFileSync(join(tree, 'man', page))),
    );
  }
  const hkctl = (...args) =>
    run(process.execPath, [join(tree, 'bin', 'hkctl.js'), ...args], { env: plainEnvironment() });
  put('usr/share/bash-completion/completions/hkctl', hkctl('completion', 'bash'));
  put('usr/share/zsh/vendor-completions/_hkctl', hkctl('completion', 'zsh'));
  put('usr/share/fish/vendor_completions.d/hkctl.fish', hkctl('completion', 'fish'));
  const units = join(stage, 'usr', 'lib', 'systemd', 'system');
  mkdirSync(units, { recursive: true });
  const exec = ['--exec', '/usr/bin/hkctl', '--folder', units];
  hkctl('systemd-unit', ...exec);
  hkctl('systemd-unit', '--socket', '--backup', ...exec);
  // The store may be an address with a password.
  put('etc/default/hkctl', defaults, 0o600);
  const documents = 'usr/share/doc/hkctl';
  const [licence, notices] = ['LICENSE', 'NOTICES'].map((name) =>
    readFileSync(join(tree, name), 'utf8'),
  );
  put(`${documents}/copyright`, `${licence}\n\n${notices.replaceAll(apacheLicence, onDebian)}`);
  put(`${documents}/sbom.cdx.json.gz`, zipped(readFileSync(join(tree, 'sbom.cdx.json'))));
  put(`${documents}/changelog.gz`, zipped(Buffer.from(changelog(version, author))));
  put(
    'DEBIAN/control',
    control({ version, architecture, author, description, kilobytes: sizeOf(stage) }),
  );
  put('DEBIAN/conffiles', '/etc/default/hkctl\n');
  for (const [name, script] of Object.entries(scripts)) put(`DEBIAN/${name}`, script, 0o755);
  const file = join(output, `hkctl_${version}_${architecture}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(buildTime()) };
  run('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', stage, file], { env });
  rmSync(stage, { recursive: true });
  return file;
}

/** Debian has its text in a file of its own, and no package repeats it. */
const apacheLicence =
  /^ *Apache License\n *Version 2\.0, January 2004\n[\s\S]*?\n *END OF TERMS AND CONDITIONS$/gm;
const onDebian = 'Apache License, Version 2.0: see /usr/share/common-licenses/Apache-2.0.';

/** The environment of the packager must not change what is packaged. */
function plainEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('HKCTL_'));
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}

function zipped(content) {
  return gzipSync(content, { level: 9 });
}

function sizeOf(folder) {
  return run('du', ['-sk', '--apparent-size', folder]).split('\t')[0];
}

function changelog(version, author) {
  const date = new Date(buildTime() * 1000).toUTCString().replace('GMT', '+0000');
  return `hkctl (${version}) unstable; urgency=medium\n\n  * Version ${version}.\n\n -- ${author}  ${date}\n`;
}

/** Node.js is recommended and not required, since it may come from elsewhere than Debian; hkctl checks its version. */
const control = ({ version, architecture, author, description, kilobytes }) => `Package: hkctl
Version: ${version}
Architecture: ${architecture}
Maintainer: ${author}
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.28), libstdc++6, passwd
Recommends: nodejs (>= 20.19)
Suggests: systemd, xsel | wl-clipboard
Section: admin
Priority: optional
Description: ${description.split(': ')[0]}
 ${description.split(': ')[1].replace(/^\w/, (first) => first.toUpperCase())}.
`;

const defaults = `# Flags of the hkctl daemon as variables; see hkctl-serve(8).
#HKCTL_PORT=8420
#HKCTL_BASE_URL=https://api.example.com
#HKCTL_TRUST_PROXY=127.0.0.1
`;

const scripts = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  getent passwd hkctl > /dev/null || useradd --system --user-group --home-dir /var/lib/hkctl --no-create-home \\
    --shell /usr/sbin/nologin hkctl
  [ -e /var/lib/hkctl ] || install -d -o hkctl -g hkctl -m 0700 /var/lib/hkctl
  # dpkg keeps the mode of a file that is there, and earlier versions brought it with this one.
  if [ "$(stat -c %a /etc/default/hkctl 2> /dev/null)" = 644 ]; then chmod 600 /etc/default/hkctl; fi
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
  if [ ! -e /var/lib/hkctl/hkctl.db ]; then
    echo "Next: sudo -u hkctl hkctl init --store /var/lib/hkctl/hkctl.db"
    echo "then: sudo systemctl enable --now hkctl.socket hkctl.service"
  else
    next="restart hkctl"
    systemctl is-enabled --quiet hkctl.service 2> /dev/null || next="enable --now hkctl.socket hkctl.service"
    echo "The store is as it was\${2:+ with hkctl $2}. Now run:"
    echo "  sudo -u hkctl hkctl migrate --store /var/lib/hkctl/hkctl.db && sudo systemctl $next"
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now hkctl.socket hkctl.service hkctl-backup.timer
fi
`,
  postrm: `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
if [ "$1" = purge ] && [ -e /var/lib/hkctl ]; then
  echo "The store in /var/lib/hkctl stays, and its account. Remove them if nobody needs them any more."
fi
`,
};

module.exports = { makeDeb };
