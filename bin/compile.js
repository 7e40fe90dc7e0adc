'use strict';

const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { Module } = require('node:module');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { constants, Script } = require('node:vm');

const user = 'builder';
const commands = [`init --demo --yes --admin ${user}`, 'keys list', 'sensors list --entity BER'];

/** The file with what V8 compiled of a file of the build, for this version of Node; a package has none. */
function compiledCodeOf(path) {
  return `${path}.${process.version}.cache`;
}

/**
 * Loads each file of the build as a script, with its compiled code where there is some; `noteScript` receives it. V8 compiles again
 * what was made for other options or another text.
 */
function loadScripts(noteScript = () => {}) {
  require.extensions['.cjs'] = (module, path) => {
    const compiledCode = compiledCodeOf(path);
    const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
      filename: path,
      cachedData: existsSync(compiledCode) ? readFileSync(compiledCode) : undefined,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    noteScript(path, script);
    const require = module.require.bind(module);
    script.runInThisContext()(module.exports, require, module, path, dirname(path));
  };
}

/** A folder for the store of the build; a machine without a folder for temporary files gets the reason, and no compiled code. */
function makeFolder() {
  try {
    return mkdtempSync(join(tmpdir(), 'hkctl-build-'));
  } catch (thrown) {
    process.stderr.write(`warning: hkctl starts more slowly: ${thrown.message}\n`);
    process.exit();
  }
}

/** Part of the build: runs usual commands on a store of its own, and writes what V8 compiled for them. */
async function compile() {
  for (const name of Object.keys(process.env)) if (/^HKCTL_/.test(name)) delete process.env[name];
  const scripts = new Map();
  loadScripts((path, script) => scripts.set(path, script));
  const { main } = require('../dist/hkctl.cjs');

  const folder = makeFolder();
  const places = ['--store', join(folder, 'hkctl.db'), '--as', user, '--json'];
  const program = process.argv.slice(0, 2);
  for (const command of commands) {
    process.argv = [...program, ...command.split(' '), ...places];
    // The command itself reports why it fails; hkctl then starts more slowly.
    if ((await main(process)) !== 0) break;
  }
  rmSync(folder, { recursive: true });
  for (const [path, script] of scripts) {
    writeFileSync(compiledCodeOf(path), script.createCachedData());
  }
}

module.exports = { loadScripts };

if (require.main === module) compile().then(() => process.exit());
