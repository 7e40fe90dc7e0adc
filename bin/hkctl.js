#!/usr/bin/env node
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { loadProgram } = require('./load.js');

if (existsSync(join(__dirname, '..', 'dist', 'hkctl.cjs'))) {
  loadProgram()
    .main(process)
    .then((code) => {
      process.exitCode = code;
    });
} else {
  process.stderr.write('hkctl is not built yet. Run: npm ci\n');
  process.exitCode = 1;
}
