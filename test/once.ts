import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoOf } from '../src/core/errors.ts';

/** Runs `make` once for all files of tests that agree on a folder; the others wait until it is done. */
export async function onceForAll(
  folder: string,
  name: string,
  make: () => Promise<void>,
): Promise<void> {
  const done = join(folder, `${name}.done`);
  const failed = join(folder, `${name}.failed`);
  if (isFirst(join(folder, name))) {
    try {
      await make();
    } catch (thrown) {
      writeFileSync(failed, String(thrown));
      throw thrown;
    }
    writeFileSync(done, '');
    return;
  }
  for (let attempt = 0; attempt < 24_000; attempt++) {
    if (existsSync(done)) return;
    if (existsSync(failed))
      throw new Error(`${name} was not made: ${readFileSync(failed, 'utf8')}`);
    await pause(20);
  }
  throw new Error(`${name} was not made`);
}

function isFirst(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}
