'use strict';

const { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync } = require('node:fs');
const { rmSync, statSync, symlinkSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { gzipSync } = require('node:zlib');
const { output, run } = require('./place.js');

/** Where the files of a package are put together as a system will have them. */
const stage = join(output, 'stage');
/** Where a distribution keeps what differs between them. */
const layouts = {
  deb: { zshCompletions: 'usr/share/zsh/vendor-completions' },
  rpm: { zshCompletions: 'usr/share/zsh/site-functions' },
};

/**
 * Puts a filled folder where Debian's and Red Hat's systems have it: program, manual pages, completions, units and the file of
 * variables. The account and its folder are made by the scripts of the package, which start nothing: first somebody creates a store.
 */
function putInstalledFiles(tree, kind) {
  rmSync(stage, { recursive: true, force: true });
  putProgram(tree);
  putManual(tree);
  putWhatHkctlPrints(tree, layouts[kind]);
  // The store may be an address with a password.
  put('etc/default/hkctl', source('default'), 0o600);
}

function put(path, content, mode = 0o644) {
  const file = join(stage, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

/** A file of `bin/package/system`. */
function source(name) {
  return readFileSync(join(__dirname, 'system', name), 'utf8');
}

function putProgram(tree) {
  const program = join(stage, 'usr', 'lib', 'hkctl');
  cpSync(tree, program, { recursive: true, verbatimSymlinks: true });
  // Distributions have places of their own for these.
  for (const name of ['man', 'CHANGELOG.md', 'LICENSE', 'NOTICES', 'sbom.cdx.json', 'README.md']) {
    rmSync(join(program, name), { recursive: true });
  }
  // The C library is not musl, and the clipboard has a package.
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
function putWhatHkctlPrints(tree, { zshCompletions }) {
  const hkctl = (...args) =>
    run(process.execPath, [join(tree, 'bin', 'hkctl.js'), ...args], { env: plainEnvironment() });
  put('usr/share/bash-completion/completions/hkctl', hkctl('completion', 'bash'));
  put(`${zshCompletions}/_hkctl`, hkctl('completion', 'zsh'));
  put('usr/share/fish/vendor_completions.d/hkctl.fish', hkctl('completion', 'fish'));
  const units = join(stage, 'usr', 'lib', 'systemd', 'system');
  mkdirSync(units, { recursive: true });
  const exec = ['--exec', '/usr/bin/hkctl', '--folder', units];
  hkctl('systemd-unit', ...exec);
  hkctl('systemd-unit', '--socket', '--backup', '--status', ...exec);
}

/** The environment of the packager must not change what is packaged. */
function plainEnvironment() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('HKCTL_'));
  return { ...Object.fromEntries(kept), NO_COLOR: '1' };
}

function zipped(content) {
  return gzipSync(content, { level: 9 });
}

/** The size of everything, in KiB; folders count nothing, since their size is that of a file system. */
function installedKb() {
  const files = readdirSync(stage, { recursive: true, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  return Math.ceil(bytes.reduce((sum, size) => sum + size, 0) / 1024);
}

module.exports = { stage, putInstalledFiles, put, zipped, installedKb };
