'use strict';

const { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { isDriver, readPackage } = require('./dependencies.js');
const { root, run, buildTime } = require('./place.js');

/** The licences and notices of all packages that a build contains, as one text. */
function notices(packages) {
  const parts = packages.map(({ name, version, folder, licence }) => {
    const files = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .sort();
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return `${name} ${version} (${licence})\n${'-'.repeat(72)}\n${texts.join('\n\n') || 'Its package has no licence file.'}`;
  });
  const sqlite = `SQLite (public domain), inside both versions of better-sqlite3\n${'-'.repeat(72)}
The author disclaims copyright to this source code.`;
  return `hkctl contains the work of others, under these licences.\n\n\n${[...parts, sqlite].join('\n\n\n')}\n`;
}

/** A software bill of materials in CycloneDX: npm's own, without what is not shipped, and with SQLite, which npm cannot see. */
function billOfMaterials(packages) {
  const bill = npmBill();
  const shipped = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const isShipped = ({ purl }) => shipped.has(nameOf(purl));
  const kept = bill.components.filter(isShipped);
  const missing = [...shipped].filter((one) => !kept.some(({ purl }) => nameOf(purl) === one));
  if (missing.length > 0) throw new Error(`npm's bill of materials does not name ${missing.join(', ')}`);
  const drivers = packages.filter(({ name }) => isDriver(name));
  const sqlite = drivers.map(({ folder }) => sqliteIn(folder)).filter((version) => version !== undefined);
  const engines = [...new Set(sqlite)].map((version) => ({
    'bom-ref': `sqlite@${version}`,
    type: 'library',
    name: 'sqlite',
    version,
    licenses: [{ license: { name: 'Public Domain' } }],
    purl: `pkg:generic/sqlite@${version}`,
  }));
  const components = [...kept, ...engines];
  const references = new Set([bill.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])]);
  // What changes with each run or names the folder of the checkout is left out.
  const { serialNumber: _, metadata, dependencies, ...rest } = bill;
  return {
    ...rest,
    metadata: {
      ...metadata,
      timestamp: new Date(buildTime() * 1000).toISOString(),
      component: { ...metadata.component, type: 'application', name: 'hkctl' },
    },
    components,
    dependencies: dependencies
      .filter(({ ref }) => references.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => references.has(one)) })),
  };
}

/**
 * npm's bill of what `package-lock.json` pins for users. With `--omit dev` npm would also leave out what the tests need as well,
 * so that it is given copies of both files without anything for development.
 */
function npmBill() {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-sbom-'));
  try {
    const { devDependencies: _, scripts: __, ...manifest } = readPackage(root);
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    delete lock.packages[''].devDependencies;
    for (const [path, { dev }] of Object.entries(lock.packages)) if (dev) delete lock.packages[path];
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    return JSON.parse(run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], { cwd: folder }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `@scope/name@1.2.3` of a package URL. */
function nameOf(purl) {
  return decodeURIComponent(purl.replace(/^pkg:npm\//, '').replace(/\?.*$/, ''));
}

/** The version of SQLite that a driver was built with, as its build file names it. */
function sqliteIn(folder) {
  const file = join(folder, 'deps', 'download.sh');
  if (!existsSync(file)) return undefined;
  const [, number] = /^VERSION="(\d{7})"/m.exec(readFileSync(file, 'utf8')) ?? [];
  return number && [number[0], number.slice(1, 3), number.slice(3, 5)].map(Number).join('.');
}

module.exports = { notices, billOfMaterials };
