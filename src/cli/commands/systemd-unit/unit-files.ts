import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errnoOf } from '../../../core/errno.ts';
import { HkctlError } from '../../../core/errors.ts';
import { unwritable } from '../../../core/files.ts';
import { readNamedText } from '../../terminal/named-files.ts';
import type { Unit } from './units.ts';

const mostBytes = 1024 * 1024;

/**
 * Writes units into a folder and returns their paths. A file of that name with other content is left as it is
 * (`state_forbids`), since it may have been edited; then none is written.
 */
export function writeUnits(folder: string, units: readonly Unit[]): string[] {
  const files = units.map(({ name, text }) => ({ file: resolve(join(folder, name)), text: `${text}\n` }));
  const missing = files.filter(({ file, text }) => {
    const present = contentOf(file);
    if (present !== undefined && present !== text) throw different(file);
    return present === undefined;
  });
  for (const { file, text } of missing) translating(file, () => writeFileSync(file, text, { flag: 'wx', mode: 0o644 }));
  return files.map(({ file }) => file);
}

function contentOf(file: string): string | undefined {
  return translating(file, () => {
    try {
      return readNamedText(file, mostBytes);
    } catch (thrown) {
      if (errnoOf(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  });
}

function different(file: string): HkctlError {
  return new HkctlError('state_forbids', `${file} is there already, and is different; nothing was written.`, {
    hint: 'Keep your changes in a drop-in (systemctl edit), remove the file, and write it again.',
  });
}

function translating<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw unwritable(file, thrown) ?? thrown;
  }
}
