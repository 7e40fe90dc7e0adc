'use strict';

const { spawnSync } = require('node:child_process');
const { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } = require('node:fs');
const { rmSync, symlinkSync, writeFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');
const { billOfMaterials, notices } = require('./licences.js');
const {
  folderOf,
  isDriver,
  installedPackages,
  readPackage,
  shippedPackages,
} = require('./dependencies.js');
const { placeNode } = require('./node.js');
const { architecture, isForeign, root, run } = require('./place.js');

/** The files of `dist` with which a process or a thread begins. */
const entries = ['hkctl.cjs', 'writer.cjs', 'readings.cjs'];

/** The driver of Node 20; all newer ones use `better-sqlite3`. */
const olderDriver = 'better-sqlite3-12';

/**
 * Fills a new folder with everything that runs hkctl on this platform: the build, the packages that are not bundled, drivers with
 * their binaries, manual pages, licences and the bill of materials. With `inside` (see `fetchNode`) it runs on the Node.js in the
 * folder, else on every one that hkctl supports.
 */
function makeTree(folder, inside) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = reachable();
  for (const file of files) copy(join('dist', file), folder);
  for (const file of readdirSync(join(root, 'dist'))) {
    if (/^(docs|examples|markdown|page)$/.test(file)) copy(join('dist', file), folder);
  }
  copy('bin/hkctl.js', folder);
  if (inside) placeNode(inside, folder);
  else symlinkSync('hkctl.js', join(folder, 'bin', 'hkctl'));
  for (const path of ['migrations', 'man', 'CHANGELOG.md', 'LICENSE', 'README.md'])
    copy(path, folder);
  for (const path of ['drizzle.config.ts', 'schema']) {
    rmSync(join(folder, 'migrations', path), { recursive: true, force: true });
  }
  const installed = installedPackages().filter((name) => !inside || name !== olderDriver);
  for (const name of installed) copyPackage(name, root, folder);
  removeForeign(folder, inside !== undefined);
  if (!inside && !existsSync(join(folder, 'node_modules', olderDriver))) {
    process.stderr.write(
      `warning: not for Node 20, whose driver is not here; run npm ci with Node 20 on ${architecture} before.\n`,
    );
  }
  const { name, version, description, author, license, type, bin, engines } = readPackage(root);
  write(
    folder,
    'package.json',
    json({ name, version, description, author, license, private: true, type, bin, engines }),
  );
  const shipped = shippedPackages(files, installed);
  const besides = inside ? [inside.node, ...inside.runtime] : [];
  write(folder, 'NOTICES', notices([...besides, ...shipped]));
  write(folder, 'sbom.cdx.json', json(billOfMaterials(shipped, besides)));
  strip(folder);
  setModes(folder, inside ? /^(hkctl|node|gateway\.sh)$/ : /^(hkctl\.js|gateway\.sh)$/);
}

/** Removes what only a debugger reads, which is a third of a driver. */
function strip(folder) {
  const program = stripPrograms().find((name) => spawnSync(name, ['--version']).status === 0);
  if (program === undefined) {
    const [usual] = stripPrograms();
    process.stderr.write(
      `warning: binaries are larger than necessary, since ${usual} is not here; install binutils.\n`,
    );
    return;
  }
  const binaries = readdirSync(folder, { recursive: true }).filter((path) =>
    /\.node$|\/linux\/xsel$|^libexec\/node$/.test(path),
  );
  run(program, ['--strip-unneeded', ...binaries], { cwd: folder });
}

/** The programs that can strip a binary for the processor of the packages. */
function stripPrograms() {
  if (!isForeign) return ['strip'];
  const gnuName = architecture === 'arm64' ? 'aarch64' : 'x86_64';
  return [`${gnuName}-linux-gnu-strip`, 'llvm-strip'];
}

/** The files of `dist` that the program can load; those of benchmarks and of `npm start` are not among them. */
function reachable() {
  const found = new Set();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const text = readFileSync(join(root, 'dist', file), 'utf8');
    waiting.push(...[...text.matchAll(/\.\/([\w.-]+\.cjs)/g)].map(([, name]) => name));
  }
  return [...found].sort();
}

/** Of packages what nothing loads: types, maps, documents, tests, programs of their own, hidden files, other systems. */
const unneeded = new RegExp(
  [
    /(^|\/)(\.[^/]+|tests?|docs|examples?|benchmarks?|fixtures|bin|build|windows|CNAME)$/,
    /(^|\/)(bin|browser|cli|eslint\.config)\.js$|tsconfig\.json$|\.(d\.[cm]?ts|map|md|html|ico|sh)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

function copyPackage(name, from, folder) {
  const source = folderOf(name, from);
  const target = source && join(folder, relative(root, source));
  if (source === undefined || existsSync(target)) return;
  if (isDriver(name)) return copyDriver(source, target);
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !unneeded.test(relative(source, path)),
  });
  for (const next of Object.keys(readPackage(source).dependencies ?? {}))
    copyPackage(next, source, folder);
}

/** Of a driver only what runs: its code, and the binaries for this platform and processor; a compiled one is for this machine. */
function copyDriver(source, target) {
  const { platform } = process;
  const built = isForeign ? [] : ['build/Release/better_sqlite3.node'];
  const prebuilt = [platform, `${platform}musl`].map(
    (one) => `prebuilds/${one}-${architecture}.node`,
  );
  const isOlder = readPackage(source).version.startsWith('12.');
  const binaries = (isOlder ? built : prebuilt).filter((path) => existsSync(join(source, path)));
  if (binaries.length === 0 && !isOlder)
    throw new Error(`better-sqlite3 has no binary for ${platform}-${architecture}.`);
  if (binaries.length === 0) return;
  for (const path of ['package.json', 'LICENSE', 'lib', ...binaries]) {
    cpSync(join(source, path), join(target, path), { recursive: true });
  }
}

/** Removes binaries that no hkctl of this package can run: for another C library than that of the Node.js inside, or another processor. */
function removeForeign(folder, hasNode) {
  const packages = join(folder, 'node_modules');
  const musl = `better-sqlite3/prebuilds/${process.platform}musl-${architecture}.node`;
  if (hasNode) rmSync(join(packages, musl), { force: true });
  // The programs of clipboardy are for x86-64; without them it calls the one of the system.
  const programs = join(packages, 'clipboardy', 'fallbacks');
  if (architecture !== 'x64') rmSync(programs, { recursive: true, force: true });
}

function copy(path, folder) {
  cpSync(join(root, path), join(folder, path), { recursive: true });
}

function write(folder, name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Modes that do not depend on those of the checkout; the names of programs match a pattern. */
function setModes(folder, programs) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) setModes(path, programs);
    else chmodSync(path, programs.test(entry.name) ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
}

module.exports = { makeTree, reachable };
