import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { HkctlError } from '../../../core/errors.ts';

/**
 * The restrictions of every unit: no rights, and nothing to write to but the state directory. MemoryDenyWriteExecute is
 * missing, since V8 makes code while it runs, and would be killed. V8 also asks for memory protection keys (@pkey) at its
 * start; any other call outside the list fails instead of killing the process.
 */
export const hardening = `NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RemoveIPC=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service @pkey
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM`;

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
