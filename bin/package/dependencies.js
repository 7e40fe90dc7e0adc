'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { dirname, join, sep } = require('node:path');
const { root } = require('./place.js');

/**
 * The packages of other people that these files of `dist` contain, and those next to them (`installed`) with what they need, each
 * as `{ name, version, folder, licence }`, in order of name.
 */
function shippedPackages(files, installed) {
  const found = new Map();
  const add = (folder) => {
    const { name, version, license: licence = 'unknown', dependencies = {} } = readPackage(folder);
    found.set(folder, { name, version, folder, licence });
    return dependencies;
  };
  const bundled = JSON.parse(readFileSync(join(root, 'dist', 'packages.json'), 'utf8'));
  // The documents page has two files of swagger-ui-dist, whose dependency only counts installations.
  for (const path of ['node_modules/swagger-ui-dist', ...files.flatMap((file) => bundled[file])])
    add(join(root, path));
  const visit = (name, from) => {
    const folder = folderOf(name, from);
    if (folder === undefined || found.has(folder)) return;
    const dependencies = add(folder);
    // What drivers need only downloads or compiles them.
    if (!isDriver(name)) for (const next of Object.keys(dependencies)) visit(next, folder);
  };
  for (const name of installed) visit(name, root);
  return [...found.values()].sort((a, b) =>
    `${a.name}@${a.version}`.localeCompare(`${b.name}@${b.version}`, 'en'),
  );
}

/** The packages next to `dist`: all others are bundled. */
function installedPackages() {
  const { dependencies, optionalDependencies } = readPackage(root);
  return Object.keys({ ...dependencies, ...optionalDependencies }).sort();
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

function isDriver(name) {
  return name.startsWith('better-sqlite3');
}

module.exports = { shippedPackages, installedPackages, folderOf, readPackage, isDriver };
