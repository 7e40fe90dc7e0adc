'use strict';

const { spawnSync } = require('node:child_process');
const { join, resolve } = require('node:path');

const root = join(__dirname, '..', '..');
/** Where the packages are made: the folder that the command line names, else one that git ignores. */
const output = process.argv[2] === undefined ? join(root, 'packages') : resolve(process.argv[2]);

/** Runs a program, whose failure ends the packaging, and returns what it printed. */
function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    cwd: root,
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

/** The time that every packaged file gets, in seconds: that of the last commit, so that a build can be repeated. */
function buildTime() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? Number(stdout) : Math.floor(Date.now() / 1000);
}

module.exports = { root, output, run, buildTime };
