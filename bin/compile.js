'use strict';

const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { Module } = require('node:module');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const user = 'builder';
const commands = [`init --demo --yes --admin ${user}`, 'keys list', 'sensors list --entity BER'];

/**
 * Part of the build: runs usual commands on a store of its own, and writes what V8 compiled for them next to each file of the
 * build, where `bin/hkctl.js` finds it.
 */
async function compile() {
  const scripts = new Map();
  require.extensions['.cjs'] = (module, path) => {
    const script = new Script(Module.wrap(readFileSync(path, 'utf8')), { filename: path });
    scripts.set(path, script);
    const require = module.require.bind(module);
    script.runInThisContext()(module.exports, require, module, path, dirname(path));
  };
  const { main } = require('../dist/hkctl.cjs');

  const folder = mkdtempSync(join(tmpdir(), 'hkctl-build-'));
  const places = ['--store', join(folder, 'hkctl.db'), '--as', user, '--json'];
  const program = process.argv.slice(0, 2);
  for (const command of commands) {
    process.argv = [...program, ...command.split(' '), ...places];
    // The command itself reports why it fails; hkctl then starts more slowly.
    if ((await main(process)) !== 0) break;
  }
  rmSync(folder, { recursive: true });
  for (const [path, script] of scripts) {
    writeFileSync(`${path}.${process.version}.cache`, script.createCachedData());
  }
}

for (const name of Object.keys(process.env)) if (/^HKCTL_/.test(name)) delete process.env[name];
compile().then(() => process.exit());
