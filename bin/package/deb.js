'use strict';

const { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync } = require('node:fs');
const { rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { gzipSync } = require('node:zlib');
const { readPackage } = require('./dependencies.js');
const { neededLibraries } = require('./libc.js');
const { architecture, output, root, run, buildTime } = require('./place.js');
const { debianArchitectures } = require('./runtime.js');

/** Where the files of the package are put together. */
const stage = join(output, 'deb');

/**
 * Makes a Debian package of a filled folder, with Node.js inside or not, and returns its path. It brings units, manual pages and
 * completions, and makes the account `hkctl` and its folder. It starts nothing: first somebody creates a store.
 */
function makeDeb(tree, hasNode) {
  const name = hasNode ? 'hkctl-node' : 'hkctl';
  rmSync(stage, { recursive: true, force: true });
  putProgram(tree);
  putManual(tree);
  putWhatHkctlPrints(tree);
  // The store may be an address with a password.
  put('etc/default/hkctl', source('default'), 0o600);
  putDocuments(tree, name);
  if (hasNode) put(`usr/share/lintian/overrides/${name}`, source('lintian-overrides'));
  putControl(name, hasNode);
  const file = build(name, hasNode);
  rmSync(stage, { recursive: true });
  return file;
}

function put(path, content, mode = 0o644) {
  const file = join(stage, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/** A file of `bin/package/debian`. */
function source(name) {
  return readFileSync(join(__dirname, 'debian', name), 'utf8');
}

function putProgram(tree) {
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
  symlinkSync('../lib/hkctl/bin/hkctl', join(stage, 'usr', 'bin', 'hkctl'));
}

function putManual(tree) {
  for (const page of readdirSync(join(tree, 'man')).filter((name) => /\.\d$/.test(name))) {
    const text = readFileSync(join(tree, 'man', page));
    put(`usr/share/man/man${page.at(-1)}/${page}.gz`, zipped(text));
  }
}

/** Completions and units, as the packaged hkctl prints them on the Node.js of this machine. */
function putWhatHkctlPrints(tree) {
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
}

/** The environment of the packager must not change what is packaged. */
function plainEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('HKCTL_'));
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}

function putDocuments(tree, name) {
  const { version, author } = readPackage(root);
  const documents = `usr/share/doc/${name}`;
  const [licence, notices] = ['LICENSE', 'NOTICES'].map((file) =>
    readFileSync(join(tree, file), 'utf8'),
  );
  put(`${documents}/copyright`, `${licence}\n\n${onDebian(notices)}`);
  put(`${documents}/sbom.cdx.json.gz`, zipped(readFileSync(join(tree, 'sbom.cdx.json'))));
  const date = new Date(buildTime() * 1000).toUTCString().replace('GMT', '+0000');
  const changelog = `${name} (${version}) unstable; urgency=medium\n\n  * Version ${version}.\n\n -- ${author}  ${date}\n`;
  put(`${documents}/changelog.gz`, zipped(Buffer.from(changelog)));
}

/** Debian has the texts of these in files of its own, and no package repeats them. */
function onDebian(notices) {
  return notices
    .replaceAll(
      /^ *Apache License\n *Version 2\.0, January 2004\n[\s\S]*?\n *END OF TERMS AND CONDITIONS$/gm,
      'Apache License, Version 2.0: see /usr/share/common-licenses/Apache-2.0.',
    )
    .replaceAll(
      /^ *GNU GENERAL PUBLIC LICENSE\n *Version 3, 29 June 2007\n[\s\S]*?\n<[^>]*why-not-lgpl.html>.$/gm,
      'GNU General Public License, Version 3: see /usr/share/common-licenses/GPL-3.',
    );
}

function zipped(content) {
  return gzipSync(content, { level: 9 });
}

function putControl(name, hasNode) {
  const { version, description, author } = readPackage(root);
  const [short, long] = description.split(': ');
  const [size] = run('du', ['-sk', '--apparent-size', stage]).split('\t');
  put(
    'DEBIAN/control',
    `Package: ${name}
Version: ${version}
Architecture: ${debianArchitectures[architecture]}
Maintainer: ${author}
Installed-Size: ${size}
Depends: ${neededLibraries(join(stage, 'usr', 'lib', 'hkctl'))}, passwd
${hasNode ? besidesHkctl : besidesHkctlNode}
Suggests: systemd, xsel | wl-clipboard
Section: admin
Priority: optional
Description: ${short}
 ${long.replace(/^\w/, (first) => first.toUpperCase())}.
`,
  );
  put('DEBIAN/conffiles', '/etc/default/hkctl\n');
  for (const script of ['postinst', 'prerm', 'postrm'])
    put(`DEBIAN/${script}`, source(script), 0o755);
}

/** How the package with Node.js inside, and the one without, replace each other. */
const besidesHkctl = `Provides: hkctl
Conflicts: hkctl
Replaces: hkctl`;
/** Node.js is recommended and not required, since it may come from elsewhere than Debian; hkctl checks its version. */
const besidesHkctlNode = `Recommends: nodejs (>= 20.19)
Conflicts: hkctl-node
Replaces: hkctl-node`;

function build(name, hasNode) {
  const { version } = readPackage(root);
  const file = join(output, `${name}_${version}_${debianArchitectures[architecture]}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(buildTime()) };
  // Of the 100 MB of Node.js, the best compression would take a minute, to save a tenth.
  const level = hasNode ? '-z1' : '-z6';
  run('dpkg-deb', ['--root-owner-group', '-Zxz', level, '--build', stage, file], { env });
  return file;
}

module.exports = { makeDeb };
