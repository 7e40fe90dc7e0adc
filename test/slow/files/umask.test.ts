import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Plant } from '../../e2e/plant.ts';
import { cli } from '../../e2e/program.ts';
import { runProgram } from '../../run-program.ts';
import { needPrograms, needRoot } from '../machine/needs.ts';

needRoot();
needPrograms('setpriv');

let plant: Plant;
beforeEach(() => {
  plant = new Plant();
});
afterEach(() => plant.close());

const nobody = 65_534;

/** Runs a line of the shell with a umask, as an account without the rights of root, which opens everything. */
function under(umask: string, line: string) {
  const ids = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const script = `umask ${umask}; exec ${line}`;
  return runProgram('setpriv', [...ids, 'sh', '-c', script], {
    env: { ...process.env, HOME: '/nonexistent', HKCTL_USER: 'ada' },
    timeout: 60_000,
  });
}

it.each(['0277', '0777', '0077'])(
  'under umask %s an account can open all that hkctl makes',
  (umask) => {
    const folder = plant.path('made');
    runProgram('install', ['-d', '-m', '755', '-o', `${nobody}`, plant.path('.'), folder]);
    const store = join(folder, 'inner', 'hkctl.db');
    const hkctl = `'${process.execPath}' '${cli}'`;
    const lines = [
      'init --org A --entity BER --entity-name B --timezone UTC --admin ada',
      `keys create --name A --entity BER --preset sensor-gateway --secret-file '${folder}/a.key'`,
      `keys rotate A --yes --secret-file '${folder}/a.key'`,
      'keys revoke A --yes',
      `backup '${folder}/plant.backup'`,
      `restore '${folder}/plant.backup' --yes`,
      `keys create --name C --entity BER --preset sensor-gateway --deliver "cat > '${folder}/c.key'"`,
      'keys list --all',
    ];
    for (const line of lines) {
      const { code, stderr } = under(umask, `${hkctl} ${line} --store '${store}'`);
      expect([code, stderr], line).toEqual([0, expect.anything()]);
    }
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const modes = files.map((file) => statSync(join(folder, file)).mode & 0o700);
    expect(new Set(modes)).toEqual(new Set([0o600, 0o700]));
    expect(statSync(join(folder, 'c.key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'c.key'), 'utf8')).toMatch(/^hk_\w{49}\n$/);
  },
);
