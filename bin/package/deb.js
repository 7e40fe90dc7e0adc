'use strict';

const { readFileSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { readPackage } = require('./dependencies.js');
const { installedKb, put, putInstalledFiles, stage, zipped } = require('./installed.js');
const { neededLibraries } = require('./libc.js');
const { architecture, output, root, run, buildTime } = require('./place.js');
const { debianArchitectures } = require('./runtime.js');

/** Makes a Debian package of a filled folder, with Node.js inside or not, and returns its path. */
function makeDeb(tree, hasNode) {
  const name = hasNode ? 'hkctl-node' : 'hkctl';
  putInstalledFiles(tree, 'deb');
  putDocuments(tree, name);
  if (hasNode) put(`usr/share/lintian/overrides/${name}`, source('lintian-overrides'));
  putControl(name, hasNode);
  const file = build(name, hasNode);
  rmSync(stage, { recursive: true });
  return file;
}

/** A file of `bin/package/debian`. */
function source(name) {
  return readFileSync(join(__dirname, 'debian', name), 'utf8');
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

function putControl(name, hasNode) {
  const { version, description, author } = readPackage(root);
  const [short, long] = description.split(': ');
  put(
    'DEBIAN/control',
    `Package: ${name}
Version: ${version}
Architecture: ${debianArchitectures[architecture]}
Maintainer: ${author}
Installed-Size: ${installedKb()}
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
