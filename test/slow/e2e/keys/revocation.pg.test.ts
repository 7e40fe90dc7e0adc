import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getText, keptAlive, postHead, readReadings, Wire } from '../../../e2e/client.ts';
import { Load } from '../../../e2e/keys/load.ts';
import { type CreatedKey, type Daemon, Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';

describe('what another process decides holds for the very next request', () => {
  let plant: Plant;
  let daemon: Daemon;

  beforeAll(async () => {
    plant = await Plant.open();
    daemon = await plant.serve();
  });
  afterAll(() => plant.close());

  /** Keeps a load up while a command runs; none of what is sent after the command has ended may be let in. */
  async function refusedAfter(
    secret: string,
    code: string,
    command: () => Promise<unknown>,
  ): Promise<void> {
    const load = new Load(daemon, () => secret, 3);
    const pipeline = new Wire(daemon.port);
    try {
      await load.more(20);
      pipeline.write(getText('/api/v1/me', secret).repeat(8));
      await until('the pipeline answers', () => pipeline.statuses.length === 8);
      await command();
      const endedAt = Date.now();
      pipeline.write(getText('/api/v1/me', secret).repeat(8));
      await load.more(60);
      await until('the pipeline answers', () => pipeline.statuses.length === 16);
      const before = load.samples.filter(({ doneAt }) => doneAt < endedAt);
      const after = load.samples.filter(({ sentAt }) => sentAt > endedAt);
      expect(before.some(({ status }) => status === 200)).toBe(true);
      expect(after.length).toBeGreaterThan(20);
      expect(after.filter((sample) => sample.code !== code)).toEqual([]);
      expect(pipeline.statuses.slice(0, 8)).toEqual(Array(8).fill(200));
      const refused = code.startsWith('entity') ? 403 : 401;
      expect(pipeline.statuses.slice(8)).toEqual(Array(8).fill(refused));
    } finally {
      pipeline.end();
      await load.stop();
    }
  }

  it('a revoked key', async () => {
    const keys: CreatedKey[] = [];
    for (let round = 0; round < 3; round++)
      keys.push(await plant.createKey(`Revoked ${round}`, 'operational-core'));
    for (const { key, secret } of keys) {
      await refusedAfter(secret, 'key_revoked', () =>
        plant.ok(['keys', 'revoke', key.prefix, '--yes']),
      );
    }
  });

  it('a rotated key: the old secret stops, the new one works on the same connection', async () => {
    const first = await plant.createKey('Rotated', 'operational-core');
    let { secret } = first;
    for (let round = 0; round < 2; round++) {
      let next = '';
      await refusedAfter(secret, 'key_revoked', async () => {
        next = (await plant.ok(['keys', 'rotate', secret.slice(0, 8), '--yes'])).stdout.trim();
      });
      const agent = keptAlive();
      const old = await daemon.api(secret, { agent }).GET('/api/v1/me');
      const renewed = await daemon.api(next, { agent }).GET('/api/v1/me');
      agent.destroy();
      expect([old.response.status, renewed.response.status]).toEqual([401, 200]);
      secret = next;
    }
  });

  it('a deactivated user, and works again once activated', async () => {
    await plant.ok(['users', 'add', 'carla', '--name', 'Carla', '--role', 'entity_admin']);
    const args = [
      'keys',
      'create',
      '--name',
      'Of Carla',
      '--entity',
      'BER',
      '--preset',
      'operational-core',
    ];
    const secret = (await plant.ok(args, { env: { HKCTL_USER: 'carla' } })).stdout.trim();
    for (let round = 0; round < 2; round++) {
      await refusedAfter(secret, 'creator_inactive', () =>
        plant.ok(['users', 'deactivate', 'carla', '--yes']),
      );
      await plant.ok(['users', 'activate', 'carla']);
      expect(await daemon.statusOf(secret)).toBe(200);
    }
  });

  it('a deactivated entity, and works again once activated; a removed one stays away', async () => {
    await plant.ok('entities add CHI --name Chicago --timezone America/Chicago'.split(' '));
    const args = [
      'keys',
      'create',
      '--name',
      'Of Chicago',
      '--entity',
      'CHI',
      '--preset',
      'operational-core',
    ];
    const secret = (await plant.ok(args)).stdout.trim();
    await refusedAfter(secret, 'entity_inactive', () =>
      plant.ok(['entities', 'deactivate', 'CHI', '--yes']),
    );
    await plant.ok(['entities', 'activate', 'CHI']);
    expect(await daemon.statusOf(secret)).toBe(200);
    await refusedAfter(secret, 'entity_missing', () =>
      plant.ok(['entities', 'remove', 'CHI', '--yes']),
    );
  });

  it('a revoke holds for a request whose body is still on its way', async () => {
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: null }]);
    const { key, secret } = await plant.createKey('Slow', 'sensor-gateway');
    const body = JSON.stringify({
      readings: [{ sensor: 'OVEN', at: '2026-11-20T08:15:00Z', value: 1 }],
    });
    const wire = new Wire(daemon.port);
    wire.write(postHead('/api/v1/sensors/readings', secret, body.length) + body.slice(0, 10));
    await until(
      'the daemon has its head',
      async () => (await plant.key(key.id)).last_used_at !== null,
    );
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    wire.write(body.slice(10));
    expect(await wire.take(1)).toEqual([401]);
    wire.end();
    const { secret: reader } = await plant.createKey('Reader', 'operational-core');
    expect(await readReadings(daemon.url, reader, 'S-1', 10)).toEqual([]);
  });

  it('a key expires at its instant, by itself', async () => {
    // On a busy machine its command alone takes seconds.
    const expiresAt = Date.now() + 8000;
    const args = ['--expires', new Date(expiresAt).toISOString()];
    const { key, secret } = await plant.createKey('Short', 'operational-core', ...args);
    expect(key.expires_at).toBe(new Date(expiresAt).toISOString());
    const load = new Load(daemon, () => secret, 2);
    const isLate = ({ sentAt }: { sentAt: number }) => sentAt > expiresAt + 2;
    await until('it was tried after that instant', () => load.samples.filter(isLate).length > 10);
    await load.stop();
    const early = load.samples.filter(({ doneAt }) => doneAt < expiresAt - 2);
    const late = load.samples.filter(isLate);
    expect(early.length).toBeGreaterThan(10);
    expect(early.filter(({ status }) => status !== 200)).toEqual([]);
    expect(late.filter(({ code }) => code !== 'key_expired')).toEqual([]);
    expect((await plant.key(key.id)).status).toBe('Expired');
  });
});
