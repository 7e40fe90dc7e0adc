import { describe, expect, it } from 'vitest';
import { callerOfSudo, type ProcessFacts } from '../../src/rights/sudo.ts';

/** Processes by number: parent, effective user id, name of the program. */
function system(processes: Record<number, [parent: number, uid: number, program: string]>) {
  const accounts: Record<number, string> = { 0: 'root', 1000: 'ada', 1001: 'bob', 990: 'hkctl' };
  return {
    process(pid: number): ProcessFacts | undefined {
      const [parent, uid, program] = processes[pid] ?? [];
      return parent === undefined || uid === undefined || program === undefined
        ? undefined
        : { parent, uid, program };
    },
    account: (uid: number) => accounts[uid],
  };
}

const login = {
  1: [0, 0, 'systemd'],
  10: [1, 0, 'sshd'],
  11: [10, 1000, 'sshd'],
  12: [11, 1000, 'bash'],
} as const;

describe('the account that called sudo', () => {
  it.each<[string, Record<number, [number, number, string]>, string | undefined]>([
    ['is above it', { 20: [12, 0, 'sudo'] }, 'ada'],
    ['is above both of its processes', { 19: [12, 0, 'sudo'], 20: [19, 0, 'sudo'] }, 'ada'],
    [
      'is found from a script that sudo started',
      { 19: [12, 0, 'sudo'], 20: [19, 990, 'sh'] },
      'ada',
    ],
    ['is root where root called it', { 19: [1, 0, 'bash'], 20: [19, 0, 'sudo'] }, 'root'],
    ['is nobody without a sudo', { 20: [12, 1000, 'sh'] }, undefined],
    ['is nobody below another program of root', { 20: [12, 0, 'cron'] }, undefined],
    [
      'is nobody below a program of that name without the rights',
      { 20: [12, 1000, 'sudo'] },
      undefined,
    ],
    [
      'is the nearest one',
      { 18: [12, 0, 'sudo'], 19: [18, 1001, 'bash'], 20: [19, 0, 'sudo'] },
      'bob',
    ],
    ['has no name', { 19: [1, 4711, 'bash'], 20: [19, 0, 'sudo'] }, undefined],
  ])('%s', (_name, processes, expected) => {
    expect(callerOfSudo(20, system({ ...structuredClone(login), ...processes } as never))).toBe(
      expected,
    );
  });

  it('is nobody for this process, which no sudo has started', () => {
    expect(callerOfSudo(process.pid)).toBeUndefined();
  });
});
