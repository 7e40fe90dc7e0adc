'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { dirname, join, sep } = require('node:path');
const { root } = require('./place.js');

/**
 * The packages of other people that a build contains, bundled or beside it: those that `package.json` names and theirs, each
 * as `{ name, version, folder, licence }`, in order of name.
 */
function shippedPackages() {
  const found = new Map();
  const visit = (name, from) => {
    const folder = folderOf(name, from);
    if (folder === undefined || found.has(folder)) return;
    const { version, license, dependencies = {} } = readPackage(folder);
    found.set(folder, { name: readPackage(folder).name, version, folder, licence: license ?? 'unknown' });
    if (isAlone(name)) return;
    for (const next of Object.keys(dependencies)) visit(next, folder);
  };
  const { dependencies, optionalDependencies = {} } = readPackage(root);
  for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) visit(name, root);
  return [...found.values()].sort((a, b) => `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'));
}

/** The folder of a package as Node would find it from another one; undefined where it is optional and not installed. */
function folderOf(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === root || !folder.startsWith(root + sep)) return undefined;
  }
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** What drivers need only downloads or compiles them, and of swagger-ui-dist only two files are used. */
function isAlone(name) {
  return isDriver(name) || name === 'swagger-ui-dist';
}

function isDriver(name) {
  return name.startsWith('better-sqlite3');
}

module.exports = { shippedPackages, folderOf, readPackage, isDriver };
