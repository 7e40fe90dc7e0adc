'use strict';

const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { run } = require('./place.js');

/** The libraries of the C++ runtime, and the packages of Debian and Ubuntu that bring them. */
const libraries = { 'libstdc++.so.6': 'libstdc++6', 'libgcc_s.so.1': 'libgcc-s1' };

const gpl = '/usr/share/common-licenses/GPL-3';

/**
 * The C++ runtime of this machine, which Node.js needs and small systems lack: `{ name, version, licence, notice, url, file }` of
 * each library. Only from Debian or Ubuntu, whose packages say where its source is; elsewhere none.
 */
function cppRuntime() {
  if (spawnSync('dpkg-query', ['-W', ...Object.values(libraries)]).status !== 0) {
    process.stderr.write(
      'warning: what has Node.js inside will need libstdc++, since only Debian and Ubuntu have one to pack.\n',
    );
    return [];
  }
  return Object.entries(libraries).map(([library, name]) => {
    const fields = ['Version', 'Architecture', 'source:Package', 'source:Version'];
    const format = fields.map((field) => `\${${field}}`).join('\n');
    const [version, architecture, ...source] = query('-W', '-f', format, name).split('\n');
    return {
      name,
      version,
      licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
      notice: noticeOf(library, source.join('=')),
      url: `pkg:deb/${distribution()}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
      file: query('-L', `${name}:${architecture}`)
        .split('\n')
        .find((path) => basename(path) === library),
    };
  });
}

function noticeOf(library, source) {
  return `${library} is part of GCC. Its source: apt-get source ${source}, on ${distribution()}.

${readFileSync(join(__dirname, 'gcc-exception.txt'), 'utf8').trim()}

${readFileSync(gpl, 'utf8').trim()}`;
}

function distribution() {
  return /^ID=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))[1];
}

function query(...args) {
  return run('dpkg-query', args);
}

module.exports = { cppRuntime };
