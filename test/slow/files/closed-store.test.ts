import { expect, it } from 'vitest';
import { cli, environment } from '../../e2e/program.ts';
import { runProgram } from '../../run-program.ts';
import { needRoot, needWorking } from '../machine/needs.ts';

/** Only root can show a program another `/var/lib`, in a mount namespace of its own, and run it as another account. */
needRoot();
needWorking('unshare', '-m', 'true');

/** Numbers that no account of the machine has. */
const [owner, stranger] = [64_125, 64_126];

function listKeys(account: number) {
  const script = `mount -t tmpfs none /var/lib && mkdir -m 700 /var/lib/hkctl && chown ${owner} /var/lib/hkctl &&
    exec setpriv --reuid ${account} --regid ${account} --clear-groups "$0" "$1" keys list`;
  const env = environment({ HOME: '/nonexistent' });
  return runProgram('unshare', ['-m', 'sh', '-c', script, process.execPath, cli], {
    env,
  });
}

it('the folder of the system store: who may not enter it learns whose it is', () => {
  const { code, stderr } = listKeys(stranger);
  expect([code, stderr]).toEqual([6, expect.stringContaining('One may be in /var/lib/hkctl')]);
  expect(stderr).toContain(`sudo -u '#${owner}' hkctl`);
});

it('the folder of the system store: its owner sees that there is no store yet', () => {
  const { code, stderr } = listKeys(owner);
  expect([code, stderr]).toEqual([6, expect.stringContaining('hkctl init')]);
});
