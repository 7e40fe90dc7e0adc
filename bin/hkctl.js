#!/usr/bin/env node
'use strict';

const { existsSync, readFileSync } = require('node:fs');
const { enableCompileCache, Module } = require('node:module');
const { dirname, join } = require('node:path');
const { constants, Script } = require('node:vm');

const program = join(__dirname, '..', 'dist', 'hkctl.cjs');

// Log rotation sends SIGUSR1, on which Node would open its debugger to every account of this machine.
process.on('SIGUSR1', () => {});

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`hkctl needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.exit(1);
}

if (existsSync(compiledCodeOf(program))) useCompiledCode();
// Not in the folder for temporary files, where another account could put compiled code of its own.
else enableCompileCache?.(join(dirname(program), 'compile-cache'));

const { main } = require(program);

main(process).then(
  // All output is synchronous and thus complete: exit at once, without tearing down the heap.
  (code) => process.exit(code),
  (thrown) => {
    // Node would print the line of the built program, which is all of it.
    process.stderr.write(`error: Internal error: ${thrown?.message ?? thrown}\n`);
    process.exit(1);
  },
);

/** What `bin/compile.js` has kept for this version of Node; a package has none. */
function compiledCodeOf(path) {
  return `${path}.${process.version}.cache`;
}

/** Lets V8 take the code that it has compiled once. It compiles again what was made for other options or another text. */
function useCompiledCode() {
  require.extensions['.cjs'] = (module, path) => {
    const compiledCode = compiledCodeOf(path);
    const script = new Script(Module.wrap(readFileSync(path, 'utf8')), {
      filename: path,
      cachedData: existsSync(compiledCode) ? readFileSync(compiledCode) : undefined,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    const require = module.require.bind(module);
    script.runInThisContext()(module.exports, require, module, path, dirname(path));
  };
}
