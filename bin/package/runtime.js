'use strict';

const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const { architecture, run } = require('./place.js');

/** What Debian calls a processor. */
const debianArchitectures = { x64: 'amd64', arm64: 'arm64' };

/** The libraries of the C++ runtime, and the packages of Debian and Ubuntu that bring them. */
const libraries = { 'libstdc++.so.6': 'libstdc++6', 'libgcc_s.so.1': 'libgcc-s1' };

const gpl = '/usr/share/common-licenses/GPL-3';

/**
 * The C++ runtime that this machine has for the processor, which Node.js needs and small systems lack: `{ name, version, licence,
 * notice, url, file }` of each library. Only from Debian or Ubuntu, whose packages say where its source is; elsewhere none.
 */
function cppRuntime() {
  const suffix = `:${debianArchitectures[architecture]}`;
  const installed = Object.values(libraries).map((name) => `${name}${suffix}`);
  if (spawnSync('dpkg-query', ['-W', ...installed]).status !== 0) {
    process.stderr.write(
      `warning: what has Node.js inside will need libstdc++, since this machine has none for ${architecture} to pack;
on Debian and Ubuntu install ${installed.join(' ')}\n`,
    );
    return [];
  }
  return Object.entries(libraries).map(([library, name]) => {
    const fields = ['Version', 'source:Package', 'source:Version'];
    const format = fields.map((field) => `\${${field}}`).join('\n');
    const [version, ...source] = query('-W', '-f', format, `${name}${suffix}`).split('\n');
    return {
      name,
      version,
      licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
      notice: noticeOf(library, source.join('=')),
      url: `pkg:deb/${distribution()}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${debianArchitectures[architecture]}`,
      file: query('-L', `${name}${suffix}`)
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

module.exports = { cppRuntime, debianArchitectures };
