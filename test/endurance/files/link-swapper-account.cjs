'use strict';

const { linkSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The account that owns the folder of a store, gone bad: swaps the store's files for links to what is not its own, and back,
 * as fast as it can, until it is stopped. Arguments: the folder, its file names and the targets, as JSON.
 */
const [folder, names, targets] = process.argv.slice(-3).map((given) => JSON.parse(given));

let isStopped = false;
let swaps = 0;
let tries = 0;
process.on('SIGTERM', () => {
  isStopped = true;
});

/** What fails now, since the other side was quicker, is tried again in the next round. */
function attempt(work) {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** The link and the file each stay for a while that no two rounds share, so that every step of root's meets both. */
function linger() {
  const until = process.hrtime.bigint() + BigInt(Math.floor(Math.random() * 400_000));
  while (process.hrtime.bigint() < until);
}

function swap(name, target, isHard) {
  const path = join(folder, name);
  const kept = `${path}.kept`;
  // Inside a folder that is not there yet, it is made: its owner may do that before root does.
  if (name.includes('/')) attempt(() => mkdirSync(join(path, '..')));
  const wasThere = attempt(() => renameSync(path, kept));
  if (attempt(() => (isHard ? linkSync(target, path) : symlinkSync(target, path)))) swaps++;
  linger();
  attempt(() => lstatSync(path).isSymbolicLink() && rmSync(path));
  if (isHard) attempt(() => rmSync(path));
  if (wasThere) attempt(() => renameSync(kept, path));
  linger();
}

function round() {
  for (const name of names) {
    for (const [i, target] of targets.entries()) swap(name, target, i === 0 && ++tries % 5 === 0);
  }
  if (!isStopped) setImmediate(round);
  else process.stdout.write(`${swaps}\n`);
}

process.stdout.write('ready\n');
round();
