#!/usr/bin/env node
'use strict';

const { enableCompileCache } = require('node:module');

// Log rotation sends SIGUSR1, on which Node would open its debugger to every account of this machine.
process.on('SIGUSR1', () => {});

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`hkctl needs Node.js 20.19 or newer; this is ${process.version}.\n`);
  process.exit(1);
}

enableCompileCache?.();

const { main } = require('../dist/hkctl.cjs');

// All output is synchronous and thus complete: exit at once, without tearing down the heap.
main(process).then((code) => process.exit(code));
