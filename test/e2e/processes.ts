import { readdirSync, readFileSync } from 'node:fs';
import { errnoOf } from '../../src/core/errors.ts';

/** The numbers of all processes. */
export function processIds(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

/** A file of a process, such as `cmdline`; nothing if the process has ended meanwhile or is another account's. */
export function ofProcess(pid: number | string | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (thrown) {
    if (!/^(ENOENT|ESRCH|EACCES)$/.test(errnoOf(thrown) ?? '')) throw thrown;
    return '';
  }
}

/** The processes that a process has started and that have not ended. */
export function childrenOf(pid: number | string | undefined): string[] {
  const parent = new RegExp(`^PPid:\\t${pid}$`, 'm');
  return processIds().filter((id) => parent.test(ofProcess(id, 'status')));
}
