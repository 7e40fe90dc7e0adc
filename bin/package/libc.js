'use strict';

const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The oldest C library with which these programs and libraries run: the newest version that one of them names. */
function neededLibc(files) {
  const minors = files.flatMap((file) =>
    [...readFileSync(file, 'latin1').matchAll(/\0GLIBC_2\.(\d+)(?=\0)/g)].map(([, minor]) => minor),
  );
  return `2.${Math.max(...minors)}`;
}

/** What Debian calls the libraries that the native files in a folder need: the C++ runtime of its own is used where there is no other. */
function neededLibraries(folder) {
  const files = readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
  const always = neededLibc(files.filter((file) => /\.node$|\/libexec\/node$/.test(file)));
  const runtime = files.filter((file) => /\/libexec\/lib/.test(file));
  const other = runtime.length === 0 ? '' : `libc6 (>= ${neededLibc(runtime)}) | `;
  return `libc6 (>= ${always}), ${other}libstdc++6 (>= 11)`;
}

module.exports = { neededLibraries };
