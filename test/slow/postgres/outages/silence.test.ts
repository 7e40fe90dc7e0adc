import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { onServer } from '../../../store/postgres/databases.ts';
import { opened, ownServer, until, versionOrCode } from '../../../store/postgres/opened.ts';

describe('a daemon whose database is silent', () => {
  it('refuses within 5 s while the server is frozen, and continues by itself', async () => {
    const { server, address } = await ownServer();
    const daemon = await opened(address);
    await daemon.keys.changeCounter();
    await server.freeze();
    const from = performance.now();
    expect(await versionOrCode(daemon)).toBe('store_unreachable');
    expect(performance.now() - from).toBeLessThan(5000);
    const again = performance.now();
    expect(await versionOrCode(daemon)).toBe('store_unreachable');
    expect(performance.now() - again).toBeLessThan(5000);
    await server.thaw();
    expect(
      await until(
        () => versionOrCode(daemon),
        (result) => typeof result === 'number',
      ),
    ).toBeTypeOf('number');
  });

  it('refuses where a primary confirms no write any more, although it answers reads', async () => {
    const { address } = await ownServer();
    const daemon = await opened(address);
    expect(await versionOrCode(daemon)).toBeTypeOf('number');
    // No standby of this name exists: every commit waits for its confirmation, as on a primary that was cut off.
    await onServer(
      address,
      "alter system set synchronous_standby_names = 'absent'",
      'select pg_reload_conf()',
    );
    expect(
      await until(
        () => versionOrCode(daemon),
        (result) => result === 'store_unreachable',
      ),
    ).toBe('store_unreachable');
    // It connects anew meanwhile, and reads well: that is not enough.
    for (let sample = 0; sample < 50; sample++) {
      expect(await versionOrCode(daemon)).toBe('store_unreachable');
      await pause(50);
    }
    await onServer(
      address,
      'alter system reset synchronous_standby_names',
      'select pg_reload_conf()',
    );
    expect(
      await until(
        () => versionOrCode(daemon),
        (result) => typeof result === 'number',
      ),
    ).toBeTypeOf('number');
  });
});
