import { expect, it } from 'vitest';
import { createSignals, isHangupIgnored } from '../../../src/cli/terminal/signals.ts';
import { startProgram } from '../../run-program.ts';

it('a SIGHUP that the shell ignores is found in the shell, and interrupts nothing', async () => {
  const shell = startProgram('sh', ['-c', "trap '' HUP; echo ready; read -r line"], {
    stdin: 'pipe',
  });
  try {
    await new Promise((resolve) => shell.stdout?.once('data', resolve));
    expect(isHangupIgnored(shell.pid ?? 0)).toBe(true);
    expect(isHangupIgnored(process.pid)).toBe(false);
  } finally {
    shell.kill('SIGKILL');
  }

  const listened: string[] = [];
  const source = {
    pid: 0,
    on: (name: string) => listened.push(name),
    off() {},
    kill() {},
  };
  createSignals(source, true).onInterrupt(() => {});
  expect(listened).toEqual(['SIGINT', 'SIGTERM', 'SIGQUIT']);
});
