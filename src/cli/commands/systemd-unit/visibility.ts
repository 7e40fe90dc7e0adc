import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';

/** The folders that ProtectHome and PrivateTmp hide from a unit. */
const hidden = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

/** Refuses a path that the unit could not see, directly or behind links: `usage`. `what` names it, as "program". */
export function requireVisible(path: string, what: string, hint: string): void {
  const real = realPath(path);
  if (![resolve(path), real].some((form) => hidden.some((folder) => `${form}/`.startsWith(`${folder}/`)))) return;
  const shown = real === path ? path : `${path} (${real})`;
  throw new HkctlError('usage', `The ${what} ${shown} is in a folder that the unit hides: ${hidden.join(', ')}.`, {
    hint,
  });
}

/** Where a path leads; the path itself if nothing is there, as for a unit of another machine. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
