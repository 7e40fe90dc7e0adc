import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, getText, keptAlive, Wire } from './client.ts';
import { type Daemon, type MintedKey, Plant } from './plant.ts';
import { pause, until } from './program.ts';

/** One request of a client under load: when it was sent and answered, and how. */
interface Sample {
  sentAt: number;
  doneAt: number;
  status: number;
  code: string | undefined;
}

/** Calls `GET /me` without a pause on so many kept-alive connections. */
class Load {
  readonly samples: Sample[] = [];
  readonly #daemon: Daemon;
  readonly #secret: () => string;
  readonly #loops: Promise<void>[];
  #running = true;

  constructor(daemon: Daemon, secret: () => string, connections: number) {
    this.#daemon = daemon;
    this.#secret = secret;
    this.#loops = Array.from({ length: connections }, () => this.#loop());
  }

  async #loop(): Promise<void> {
    const agent = keptAlive();
    while (this.#running) {
      const sentAt = performance.timeOrigin + performance.now();
      const answer = await call(`${this.#daemon.url}/api/v1/me`, { secret: this.#secret(), agent });
      const code = answer.status === 200 ? undefined : answer.json<{ code: string }>().code;
      this.samples.push({ sentAt, doneAt: performance.timeOrigin + performance.now(), status: answer.status, code });
    }
    agent.destroy();
  }

  /** Resolves once so many more requests were sent and answered. */
  more(count: number): Promise<unknown> {
    const enough = this.samples.length + count;
    return until(`${count} more answers`, () => this.samples.length >= enough, { everyMs: 5 });
  }

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }
}

const now = () => performance.timeOrigin + performance.now();

describe('what another process decides holds for the very next request', () => {
  let plant: Plant;
  let daemon: Daemon;

  beforeAll(async () => {
    plant = await Plant.open();
    daemon = await plant.serve();
  });
  afterAll(() => plant.close());

  /** Keeps a load up while a command runs; none of what is sent after the command has ended may be let in. */
  async function refusedAfter(secret: string, code: string, command: () => Promise<unknown>): Promise<void> {
    const load = new Load(daemon, () => secret, 3);
    const pipeline = new Wire(daemon.port);
    try {
      await load.more(20);
      pipeline.write(getText('/api/v1/me', secret).repeat(10));
      await until('the pipeline answers', () => pipeline.statuses.length === 10);
      await command();
      const endedAt = now();
      pipeline.write(getText('/api/v1/me', secret).repeat(50));
      await load.more(60);
      await until('the pipeline answers', () => pipeline.statuses.length === 60);
      const before = load.samples.filter(({ doneAt }) => doneAt < endedAt);
      const after = load.samples.filter(({ sentAt }) => sentAt >= endedAt);
      expect(before.some(({ status }) => status === 200)).toBe(true);
      expect(after.length).toBeGreaterThan(20);
      expect(after.filter((sample) => sample.code !== code)).toEqual([]);
      expect(pipeline.statuses.slice(0, 10)).toEqual(Array(10).fill(200));
      const refused = code.startsWith('entity') ? 403 : 401;
      expect(pipeline.statuses.slice(10)).toEqual(Array(50).fill(refused));
    } finally {
      pipeline.end();
      await load.stop();
    }
  }

  it('a revoked key', async () => {
    const keys: MintedKey[] = [];
    for (let round = 0; round < 4; round++) keys.push(await plant.mint(`Revoked ${round}`, 'operational-core'));
    for (const { key, secret } of keys) {
      await refusedAfter(secret, 'key_revoked', () => plant.ok(['keys', 'revoke', key.prefix, '--yes']));
    }
  });

  it('a rotated key: the old secret stops, the new one works on the same connection', async () => {
    const first = await plant.mint('Rotated', 'operational-core');
    let { secret } = first;
    for (let round = 0; round < 3; round++) {
      let next = '';
      await refusedAfter(secret, 'key_revoked', async () => {
        next = (await plant.ok(['keys', 'rotate', secret.slice(0, 8), '--yes'])).stdout.trim();
      });
      const agent = keptAlive();
      const old = await call(`${daemon.url}/api/v1/me`, { secret, agent });
      const renewed = await call(`${daemon.url}/api/v1/me`, { secret: next, agent });
      agent.destroy();
      expect([old.status, renewed.status]).toEqual([401, 200]);
      secret = next;
    }
  });

  it('a deactivated user, and works again once activated', async () => {
    await plant.ok(['users', 'add', 'carla', '--name', 'Carla', '--role', 'entity_admin']);
    const args = ['keys', 'create', '--name', 'Of Carla', '--entity', 'BER', '--preset', 'operational-core'];
    const secret = (await plant.ok(args, { env: { HKCTL_USER: 'carla' } })).stdout.trim();
    for (let round = 0; round < 2; round++) {
      await refusedAfter(secret, 'creator_inactive', () => plant.ok(['users', 'deactivate', 'carla', '--yes']));
      await plant.ok(['users', 'activate', 'carla']);
      expect((await call(`${daemon.url}/api/v1/me`, { secret })).status).toBe(200);
    }
  });

  it('a deactivated entity, and works again once activated; a removed one stays away', async () => {
    await plant.ok(['entities', 'add', 'CHI', '--name', 'Chicago', '--timezone', 'America/Chicago']);
    const args = ['keys', 'create', '--name', 'Of Chicago', '--entity', 'CHI', '--preset', 'operational-core'];
    const secret = (await plant.ok(args)).stdout.trim();
    await refusedAfter(secret, 'entity_inactive', () => plant.ok(['entities', 'deactivate', 'CHI', '--yes']));
    await plant.ok(['entities', 'activate', 'CHI']);
    expect((await call(`${daemon.url}/api/v1/me`, { secret })).status).toBe(200);
    await refusedAfter(secret, 'entity_missing', () => plant.ok(['entities', 'remove', 'CHI', '--yes']));
  });

  it('a key expires at its instant, by itself', async () => {
    const expiresAt = Date.now() + 2500;
    const args = ['--expires', new Date(expiresAt).toISOString()];
    const { key, secret } = await plant.mint('Short', 'operational-core', ...args);
    expect(key.expires_at).toBe(new Date(expiresAt).toISOString());
    const load = new Load(daemon, () => secret, 2);
    await pause(expiresAt - Date.now() + 300);
    await load.stop();
    const early = load.samples.filter(({ doneAt }) => doneAt < expiresAt - 2);
    const late = load.samples.filter(({ sentAt }) => sentAt > expiresAt + 2);
    expect(early.length).toBeGreaterThan(10);
    expect(late.length).toBeGreaterThan(10);
    expect(early.filter(({ status }) => status !== 200)).toEqual([]);
    expect(late.filter(({ code }) => code !== 'key_expired')).toEqual([]);
    expect((await plant.key(key.id)).status).toBe('Expired');
  });
});

describe('the time of last use', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
  });
  afterAll(() => plant.close());

  it('is on disk within 2 s', async () => {
    const daemon = await plant.serve();
    const { key, secret } = await plant.mint('Used', 'operational-core');
    expect((await plant.key(key.id)).last_used_at).toBeNull();
    const sentAt = Date.now();
    expect((await call(`${daemon.url}/api/v1/me`, { secret })).status).toBe(200);
    const doneAt = Date.now();
    const used = await until('last use is noted', async () => (await plant.key(key.id)).last_used_at ?? undefined, {
      timeoutMs: 5000,
    });
    // What is left beyond the two seconds is the start of the command that asks.
    expect(Date.now() - doneAt).toBeLessThan(2000 + 1000);
    expect(Date.parse(used)).toBeGreaterThanOrEqual(sentAt - 1);
    expect(Date.parse(used)).toBeLessThanOrEqual(doneAt + 1);

    // A refused call is no use.
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect((await call(`${daemon.url}/api/v1/me`, { secret })).status).toBe(401);
    expect((await daemon.stop()).code).toBe(0);
    expect((await plant.key(key.id)).last_used_at).toBe(used);
  });

  it('is kept by an orderly end to the last call, and by kill -9 up to 2 s before', async () => {
    const { key, secret } = await plant.mint('Used to the end', 'operational-core');
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const daemon = await plant.serve();
      const load = new Load(daemon, () => secret, 1);
      await pause(signal === 'SIGKILL' ? 3000 : 300);
      await load.stop();
      const last = load.samples.at(-1);
      await daemon.stop(signal);
      const used = Date.parse((await plant.key(key.id)).last_used_at ?? '');
      expect(last).toBeDefined();
      const earliest = signal === 'SIGKILL' ? (last?.sentAt ?? 0) - 2000 : (last?.sentAt ?? 0) - 1;
      expect(used).toBeGreaterThanOrEqual(earliest);
      expect(used).toBeLessThanOrEqual((last?.doneAt ?? 0) + 1);
    }
  });
});
