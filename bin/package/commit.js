'use strict';

const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const root = join(__dirname, '..', '..');

/**
 * The commit that is being built, as the build metadata of a semantic version: `7b5bc9b9`, or `7b5bc9b9.modified` where files
 * differ from it; empty outside a repository of hkctl, such as in an unpacked archive of its sources.
 */
function buildMetadata() {
  // A path above this folder: the repository around it is another project's.
  if (git('rev-parse', '--show-prefix') !== '') return '';
  const commit = git('rev-parse', '--short=8', 'HEAD');
  if (commit === undefined) return '';
  return git('status', '--porcelain', '--untracked-files=no') === ''
    ? commit
    : `${commit}.modified`;
}

/** What git prints; undefined where there is no git, no repository or no commit. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

module.exports = { buildMetadata };
