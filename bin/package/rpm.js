'use strict';

const { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { readPackage } = require('./dependencies.js');
const { put, putInstalledFiles, stage } = require('./installed.js');
const { neededVersionsIn } = require('./libc.js');
const { architecture, buildTime, output, root, run } = require('./place.js');

/** RPM's names of the processors. */
const rpmArchitectures = { x64: 'x86_64', arm64: 'aarch64' };
const work = join(output, 'rpm');

/** Makes a package for Red Hat's systems of a filled folder, with Node.js inside or not, and returns its path. */
function makeRpm(tree, hasNode) {
  const name = hasNode ? 'hkctl-node' : 'hkctl';
  const { version } = readPackage(root);
  putInstalledFiles(tree, 'rpm');
  for (const document of ['LICENSE', 'NOTICES', 'sbom.cdx.json', 'CHANGELOG.md'])
    put(`usr/share/doc/${name}/${document}`, readFileSync(join(tree, document)));
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, 'hkctl.spec'), specification(name, version, hasNode));
  const target = rpmArchitectures[architecture];
  run('rpmbuild', ['-bb', '--target', target, ...macros(hasNode), join(work, 'hkctl.spec')], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(buildTime()) },
  });
  const file = join(output, `${name}-${version}.${target}.rpm`);
  const [made] = readdirSync(join(work, 'made')).filter((one) => one.endsWith('.rpm'));
  cpSync(join(work, 'made', made), file);
  for (const folder of [work, stage]) rmSync(folder, { recursive: true });
  return file;
}

/** Settings of rpmbuild: nothing of this machine, its time or its account gets into the package, and no binary is changed. */
function macros(hasNode) {
  const settings = {
    _topdir: work,
    _rpmdir: join(work, 'made'),
    _rpmfilename: '%%{NAME}-%%{VERSION}.%%{ARCH}.rpm',
    _buildhost: 'localhost',
    _dbpath: join(work, 'db'),
    _build_id_links: 'none',
    // Of the 100 MB of Node.js, the best compression would take a minute, to save a tenth.
    _binary_payload: hasNode ? 'w1.xzdio' : 'w6.xzdio',
    __os_install_post: '%{nil}',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    debug_package: '%{nil}',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
}

function specification(name, version, hasNode) {
  const { description } = readPackage(root);
  const [short, long] = description.split(': ');
  const other = hasNode ? 'hkctl' : 'hkctl-node';
  return `Name: ${name}
Version: ${version.replaceAll('-', '~')}
Release: 1
Summary: ${short}
License: MIT
AutoReqProv: no
${requirements(hasNode)}
Conflicts: ${other}

%description
${long.replace(/^\w/, (first) => first.toUpperCase())}.

%install
cp -a ${stage}/. %{buildroot}

%files
%defattr(-,root,root)
${fileLines(name).join('\n')}

%post
${script('post')}
%preun
${script('preun')}
%postun
${script('postun')}
`;
}

/** Node.js is recommended and not required, since it may come from elsewhere; hkctl checks its version. */
function requirements(hasNode) {
  const { always, runtime } = neededVersionsIn(join(stage, 'usr', 'lib', 'hkctl'));
  const library = 'libstdc++ >= 11';
  return `Requires: glibc >= 2.${always}
Requires: ${runtime === 0 ? library : `(${library} or glibc >= 2.${runtime})`}
Requires: shadow-utils
Recommends: systemd${hasNode ? '' : '\nRecommends: nodejs >= 20.19'}`;
}

/** The folders of hkctl alone as a whole, and files elsewhere, whose folders belong to the system. */
function fileLines(name) {
  const own = ['/usr/lib/hkctl', `/usr/share/doc/${name}`];
  const others = readdirSync(stage, { recursive: true, withFileTypes: true })
    .filter((file) => !file.isDirectory())
    .map((file) => join(file.parentPath, file.name).slice(stage.length))
    .filter((path) => !own.some((folder) => path.startsWith(`${folder}/`)))
    .filter((path) => path !== '/etc/default/hkctl');
  return [...own, ...others.sort(), '%config(noreplace) %attr(0600,root,root) /etc/default/hkctl'];
}

function script(name) {
  return readFileSync(join(__dirname, 'rpm', name), 'utf8');
}

module.exports = { makeRpm };
