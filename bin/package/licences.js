'use strict';

const { createHash } = require('node:crypto');

const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { folderOf, isDriver, readPackage } = require('./dependencies.js');
const { root, buildTime } = require('./place.js');

/** The licences and notices of all packages that a build contains, as one text. */
function notices(packages) {
  const parts = packages.map(({ name, version, licence, folder, notice = noticeIn(folder) }) => {
    return `${name} ${version} (${licence})\n${'-'.repeat(72)}\n${notice || 'Its package has no licence file.'}`;
  });
  const sqlite = `SQLite (public domain), inside better-sqlite3\n${'-'.repeat(72)}
The author disclaims copyright to this source code.`;
  return `hkctl contains the work of others, under these licences.\n\n\n${[...parts, sqlite].join('\n\n\n')}\n`;
}

function noticeIn(folder) {
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => chosenText(readFileSync(join(folder, file), 'utf8')).trim())
    .join('\n\n');
}

/** Of a package that offers the GPL as the second of two licences, the first one is taken. */
function chosenText(text) {
  return text.split(/^ *GNU GENERAL PUBLIC LICENSE$/m, 1)[0];
}

/**
 * A software bill of materials in CycloneDX 1.5 of the packages, as `package-lock.json` pins them, of SQLite inside the drivers, and
 * of what a package contains besides (see `fetchNode`).
 */
function billOfMaterials(packages, besides) {
  const { name, version, license, dependencies, devDependencies, optionalDependencies } =
    readPackage(root);
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const urls = new Map(
    packages.map((one) => [one.folder, `pkg:npm/${one.name.replace('@', '%40')}@${one.version}`]),
  );
  const shipped = (from, names = {}) =>
    Object.keys(names).map((one) => urls.get(folderOf(one, from)));
  const graph = [
    {
      ref: name,
      dependsOn: [
        ...shipped(root, { ...dependencies, ...devDependencies, ...optionalDependencies }),
        ...besides.map(({ url }) => url),
      ],
    },
  ];
  const components = packages.map(({ folder, ...one }) => {
    const sqlite = isDriver(one.name) ? sqliteIn(folder) : undefined;
    graph.push({
      ref: urls.get(folder),
      dependsOn: [...shipped(folder, readPackage(folder).dependencies), sqlite],
    });
    return component(
      urls.get(folder),
      one.name,
      one.version,
      one.licence,
      locked[relative(root, folder)].integrity,
    );
  });
  for (const one of besides) {
    components.push(component(one.url, one.name, one.version, one.licence, one.integrity));
  }
  for (const url of new Set(
    graph.flatMap(({ dependsOn }) => dependsOn.filter((one) => /generic/.test(one))),
  )) {
    components.push(component(url, 'sqlite', url.split('@')[1], 'blessing'));
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumberOf(components),
    version: 1,
    metadata: {
      timestamp: new Date(buildTime() * 1000).toISOString(),
      component: {
        ...component(`pkg:npm/${name}@${version}`, name, version, license),
        'bom-ref': name,
        type: 'application',
      },
    },
    components,
    dependencies: graph.map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => one !== undefined),
    })),
  };
}

/** A UUID of version 8 (RFC 9562) from the digest of the components: the same packages have the same number on every machine. */
function serialNumberOf(components) {
  const digest = createHash('sha256').update(JSON.stringify(components)).digest();
  digest[6] = (digest[6] & 0x0f) | 0x80;
  digest[8] = (digest[8] & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `urn:uuid:${parts.join('-')}-${hex.slice(20, 32)}`;
}

/** A part of the bill; `integrity` is npm's, such as `sha512-…` in base64. */
function component(purl, name, version, licence, integrity = '') {
  const [, content] = /^sha512-(.*)$/.exec(integrity) ?? [];
  const hashes = content && [
    { alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') },
  ];
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    licenses: [{ expression: licence }],
    purl,
    hashes,
  };
}

/** The SQLite that a driver was built with, as its build file names it, as a package URL. */
function sqliteIn(folder) {
  const file = join(folder, 'deps', 'download.sh');
  if (!existsSync(file)) return undefined;
  const [, number] = /^VERSION="(\d{7})"/m.exec(readFileSync(file, 'utf8')) ?? [];
  return (
    number &&
    `pkg:generic/sqlite@${[number[0], number.slice(1, 3), number.slice(3, 5)].map(Number).join('.')}`
  );
}

module.exports = { notices, billOfMaterials };
