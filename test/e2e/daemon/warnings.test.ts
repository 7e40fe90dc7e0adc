import { afterEach, beforeEach, it } from 'vitest';
import { Daemon, Plant } from '../plant.ts';
import { cli } from '../program.ts';

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

it('a daemon warns once it listens with --json, too, and not when it ends', async () => {
  const daemon = new Daemon(process.execPath, [cli, 'serve', '--json'], {
    env: { ...plant.env, HKCTL_PORT: '0', HKCTL_PROT: '80' },
  });
  try {
    await daemon.says(/warning: HKCTL_PROT is ignored/);
  } finally {
    await daemon.stop('SIGTERM');
  }
});
