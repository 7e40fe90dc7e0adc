import { readFileSync } from 'node:fs';

export interface ProcessFacts {
  parent: number;
  uid: number;
  /** Name of the program, at most 15 characters. */
  program: string;
}

interface ProcessTable {
  /** Undefined for a process that has ended or is not visible. */
  process(pid: number): ProcessFacts | undefined;
  account(uid: number): string | undefined;
}

/** The account above the nearest sudo among the ancestors of a process: no account can forge it, unlike variables. */
export function callerOfSudo(parent: number, system: ProcessTable = linux): string | undefined {
  let isBehindSudo = false;
  for (
    let ancestor = system.process(parent);
    ancestor !== undefined;
    ancestor = system.process(ancestor.parent)
  ) {
    // sudo keeps a second process between itself and the command.
    if (ancestor.uid === 0 && ancestor.program === 'sudo') isBehindSudo = true;
    else if (isBehindSudo) return system.account(ancestor.uid);
    else if (ancestor.uid === 0) return undefined;
  }
  return undefined;
}

/** The login of an account of this machine; undefined if its file of accounts has none, as on those from a directory. */
export function loginOf(uid: number): string | undefined {
  const entryPattern = new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'm');
  return entryPattern.exec(textOf('/etc/passwd'))?.[1];
}

const linux: ProcessTable = {
  process(pid) {
    const statusText = textOf(`/proc/${pid}/status`);
    const [, program] = /^Name:\t(.*)$/m.exec(statusText) ?? [];
    const [, parent] = /^PPid:\t(\d+)$/m.exec(statusText) ?? [];
    const [, uid] = /^Uid:\t\d+\t(\d+)/m.exec(statusText) ?? [];
    if (program === undefined || parent === undefined || uid === undefined) {
      return undefined;
    }
    return {
      parent: Number(parent),
      uid: Number(uid),
      program,
    };
  },
  account: loginOf,
};

/** The text of a system file; empty if it cannot be read, as on systems without /proc. */
function textOf(filePath: string): string {
  try {
    return readFileSync(filePath, 'utf8');
  } catch {
    return '';
  }
}
