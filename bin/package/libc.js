'use strict';

const { readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');

/**
 * What README and the manual name as the oldest systems, as minor versions: glibc 2.34 and the libstdc++ of GCC 11, and glibc
 * 2.36 where the C++ runtime of the package is used.
 */
const documented = { GLIBC_2: 34, 'GLIBCXX_3.4': 29 };
const documentedForRuntime = { GLIBC_2: 36 };

/** The newest versions that native files name, by the prefix of their symbols, such as `{ GLIBC_2: 34, 'GLIBCXX_3.4': 29 }`. */
function neededVersions(files) {
  const needed = { GLIBC_2: 0, 'GLIBCXX_3.4': 0 };
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    for (const [, prefix, minor] of text.matchAll(/\0(GLIBC_2|GLIBCXX_3\.4)\.(\d+)(?=[\0.])/g))
      needed[prefix] = Math.max(needed[prefix], Number(minor));
  }
  return needed;
}

/** The native files in a folder that always run, and those of the C++ runtime, which is used where a system has none. */
function nativeFiles(folder) {
  const files = readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
  return {
    always: files.filter((file) => /\.node$|\/libexec\/node$/.test(file) && !/musl/.test(file)),
    runtime: files.filter((file) => /\/libexec\/lib/.test(file)),
  };
}

/**
 * The minor version of glibc that the native files in a folder need, and the one that lets the C++ runtime of the package
 * take the place of the system's; 0 without one.
 */
function neededVersionsIn(folder) {
  const { always, runtime } = nativeFiles(folder);
  return { always: neededVersions(always).GLIBC_2, runtime: neededVersions(runtime).GLIBC_2 };
}

/** What Debian calls the libraries that the native files in a folder need. */
function neededLibraries(folder) {
  const { always, runtime } = neededVersionsIn(folder);
  const other = runtime === 0 ? '' : `libc6 (>= 2.${runtime}) | `;
  return `libc6 (>= 2.${always}), ${other}libstdc++6 (>= 11)`;
}

/**
 * Requires the native files in a folder to run on the systems that are documented. It refuses a package with Node.js inside, whose
 * files are pinned; and warns of files of this machine: a driver that it compiled, and its C++ runtime.
 */
function requireDocumentedSystems(folder, hasNode) {
  const { always, runtime } = nativeFiles(folder);
  const name = (needs) => needs.map((one) => `${relative(folder, one.file)} needs ${one.version}`);
  const pinned = name(newerThan(documented, always));
  if (hasNode && pinned.length > 0) {
    throw new Error(`${pinned.join('; ')}: more than README and hkctl-tasks(7) say.
Pin an older version, or change them and bin/package/libc.js.`);
  }
  for (const need of [...pinned, ...name(newerThan(documentedForRuntime, runtime))])
    process.stderr.write(`warning: ${need}, more than the manual says; make it on Debian 12.\n`);
}

/** The files that name a newer version than the oldest system has: `{ file, version }`. */
function newerThan(oldest, files) {
  return files.flatMap((file) =>
    Object.entries(neededVersions([file]))
      .filter(([prefix, minor]) => minor > oldest[prefix])
      .map(([prefix, minor]) => ({ file, version: `${prefix}.${minor}` })),
  );
}

module.exports = { neededLibraries, neededVersionsIn, requireDocumentedSystems };
