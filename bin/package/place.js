'use strict';

const { spawnSync } = require('node:child_process');
const { join, resolve } = require('node:path');
const { parseArgs } = require('node:util');

const root = join(__dirname, '..', '..');
const { architecture, folder } = readCommandLine();
const isForeign = architecture !== process.arch;
/** Where the packages are made: the folder that the command line names, else one that git ignores. */
const output = folder === undefined ? usualFolder() : resolve(folder);

/** Packages for another processor have a folder of their own, since each folder has one Containerfile and one file of digests. */
function usualFolder() {
  const packages = join(root, 'packages');
  return isForeign ? join(packages, architecture) : packages;
}

/** The processor that the packages are for, in Node's words, and the folder: `[--arch x64|arm64] [FOLDER]`. */
function readCommandLine() {
  const options = { arch: { type: 'string', default: process.arch } };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [folder, ...others] = positionals;
    if (values.arch !== process.arch && !/^(x64|arm64)$/.test(values.arch))
      throw new Error(`--arch ${values.arch} is not valid; use x64 or arm64`);
    if (folder === '' || others.length > 0)
      throw new Error('name at most one folder for the packages, and no empty one');
    return { architecture: values.arch, folder };
  } catch (thrown) {
    process.stderr.write(`error: ${thrown.message}\n`);
  }
  process.exit(2);
}

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

module.exports = { root, output, architecture, isForeign, run, buildTime };
