'use strict';

const { createHash } = require('node:crypto');
const { cpSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const { basename, join, relative } = require('node:path');
const { gzipSync } = require('node:zlib');
const { makeDeb } = require('./deb.js');
const { readPackage } = require('./dependencies.js');
const { requireDocumentedSystems } = require('./libc.js');
const { fetchNode } = require('./node.js');
const { architecture, output, root, run, buildTime } = require('./place.js');
const { makeRpm } = require('./rpm.js');
const { makeTree } = require('./tree.js');

/**
 * `npm run package`: makes packages of the build in `packages/` (or a folder that is named), for the platform that it runs on, or
 * another processor (`-- --arch arm64`). There are those that need Node.js and, on Linux, those with Node.js inside and a
 * Containerfile for an image of them; and the digests of them all.
 */
function main() {
  // Folders have the same modes on every machine.
  process.umask(0o022);
  const { version } = readPackage(root);
  const name = `hkctl-${version}-${process.platform}-${architecture}`;
  const inside = fetchNode();
  const made = makePackages(name);
  if (inside) {
    made.push(...makePackages(`${name}-node`, inside), writeRecipe(`${name}-node`));
    rmSync(inside.node.folder, { recursive: true });
  }
  made.push(writeDigests(made));
  for (const file of made) process.stdout.write(`${relative(process.cwd(), file)}\n`);
}

/** Makes a tarball, its bill of materials, and packages of Debian and Red Hat where their programs are there. Returns the paths. */
function makePackages(name, inside) {
  const tree = join(output, name);
  makeTree(tree, inside);
  requireDocumentedSystems(tree, inside !== undefined);
  const tarball = `${tree}.tar.gz`;
  const order = [
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    `--mtime=@${buildTime()}`,
  ];
  const tar = run('tar', [...order, '-C', output, '-cf', '-', name], {
    encoding: 'buffer',
    maxBuffer: 2 ** 30,
  });
  writeFileSync(tarball, gzipSync(tar));
  cpSync(join(tree, 'sbom.cdx.json'), `${tree}.sbom.cdx.json`);
  const made = [tarball, `${tree}.sbom.cdx.json`];
  const hasNode = inside !== undefined;
  if (spawnSync('dpkg-deb', ['--version']).status === 0) made.push(makeDeb(tree, hasNode));
  if (spawnSync('rpmbuild', ['--version']).status === 0) made.push(makeRpm(tree, hasNode));
  rmSync(tree, { recursive: true });
  return made;
}

/** Writes the recipe of an image next to the tarball that it unpacks. */
function writeRecipe(name) {
  const recipe = readFileSync(join(__dirname, 'Containerfile'), 'utf8').replaceAll('@NAME@', name);
  writeFileSync(join(output, 'Containerfile'), recipe);
  return join(output, 'Containerfile');
}

/** Writes the file that `sha256sum --check SHA256SUMS` reads, in the folder of the packages. */
function writeDigests(files) {
  const lines = files.map((file) => {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    return `${digest}  ${basename(file)}\n`;
  });
  const digests = join(output, 'SHA256SUMS');
  writeFileSync(digests, lines.join(''));
  return digests;
}

try {
  main();
} catch (thrown) {
  process.stderr.write(`error: ${thrown.message}\n`);
  process.exitCode = 1;
}
