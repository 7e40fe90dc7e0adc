import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProgram } from '../../docs/program.ts';
import { call, Wire } from '../../e2e/client.ts';
import { Plant } from '../../e2e/plant.ts';
import { CanaryWatch, canaries } from '../../e2e/secrets/canaries.ts';
import { filesUnder, tablesOf } from '../../e2e/secrets/leaks.ts';
import { isPath } from './path-arguments.ts';

describe('no canary comes out of the daemon', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
  });
  afterAll(() => plant.close());

  it('by any part of a request', async () => {
    const core = await plant.createKey('Core', 'operational-core');
    const gateway = await plant.createKey('Gateway', 'sensor-gateway');
    const daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'debug' });
    const agent = new Agent({ keepAlive: true });
    const all = canaries();
    for (const canary of all) {
      const { text } = canary;
      const answers: string[] = [];
      const ask = async (path: string, options: Parameters<typeof call>[1] = {}) => {
        const answer = await call(`${daemon.url}${path}`, { agent, ...options });
        answers.push(JSON.stringify(answer.headers) + answer.text);
      };
      // What a header or a target cannot hold is escaped, as every client does.
      const target = /^[\w%./&=-]*$/.test(text) ? text : encodeURIComponent(text);
      const header = text.replace(/[^\x20-\x7e]+/g, '-');
      const { secret } = core;
      for (const path of [
        '/',
        '/api/v1/',
        '/api/v1/parts/',
        '/api/v1/sensors/',
        '/healthz/',
        '/metrics/',
      ])
        await ask(`${path}${target}`, { secret });
      for (const query of [
        `${target}=1`,
        `limit=${target}`,
        `cursor=${target}`,
        `updated_since=${target}`,
        `part_number=${target}`,
        `x=1&y=${target}`,
      ]) {
        await ask(`/api/v1/parts?${query}`, { secret });
        await ask(`/api/v1/sensors/S-1/readings?${query}`, { secret });
        await ask(`/api/v1/openapi.json?${query}`);
      }
      await ask(`/api/v1/parts?pad=${'a'.repeat(2020)}${target}`);
      for (const name of [
        'authorization',
        'cookie',
        'user-agent',
        'referer',
        'x-request-id',
        'x-forwarded-for',
        'accept',
        'origin',
        'if-none-match',
        'range',
        'x-canary',
      ]) {
        await ask('/api/v1/parts', {
          headers: { authorization: `Bearer ${secret}`, [name]: header },
        });
      }
      for (const scheme of ['Bearer', 'Basic', 'Digest'])
        await ask('/api/v1/me', { headers: { authorization: `${scheme} ${header}` } });
      const post = (body: unknown, headers = {}) =>
        ask('/api/v1/sensors/readings', { secret: gateway.secret, body, headers });
      await post({
        readings: [{ sensor: text, at: text, value: text, unit: text, quality: text, [text]: 1 }],
      });
      await post({
        readings: [{ sensor: 'OVEN', at: '2026-11-20T08:00:00Z', value: 1, unit: text }],
      });
      await post({ [text]: [] });
      await post(`{"readings": ${text}`);
      await post(text, { 'content-type': header });
      await post('{}', { 'content-encoding': header });
      await ask('/api/v1/sensors/heartbeats', {
        secret: gateway.secret,
        body: { heartbeats: [{ sensor: text, status: text }] },
      });
      const wire = new Wire(daemon.port);
      wire.write(
        `GET /${text} HTTP/1.1\r\nHost: ${text}\r\nConnection: close\r\n${text}: ${text}\r\n\r\n`,
      );
      await wire.closed;
      answers.push(wire.received);
      for (const answer of answers)
        expect(
          new CanaryWatch([canary]).leakIn(answer),
          `${canary.form}\n${answer}`,
        ).toBeUndefined();
    }
    agent.destroy();
    const metrics = (await call(`${daemon.url}/metrics`)).text;
    await daemon.stop();
    expect(daemon.log).toContain('"url"');
    const watch = new CanaryWatch(all);
    for (const line of daemon.log.split('\n')) expect(watch.leakIn(line), line).toBeUndefined();
    for (const text of [daemon.log, metrics]) expect(watch.leakIn(text)).toBeUndefined();
    for (const path of filesUnder(plant.folder)) {
      expect(watch.leakIn(readFileSync(path, 'latin1'), 13), path).toBeUndefined();
    }
    for (const [name, text] of plant.isOnPostgres ? await tablesOf(plant.place) : [])
      expect(watch.leakIn(text), name).toBeUndefined();
  });

  it('by any of its flags', async () => {
    const flags = [...((await readProgram()).commands.get('serve')?.flags ?? [])].filter(
      ([, { takesValue }]) => takesValue,
    );
    const all = canaries();
    await Promise.all(
      [0, 1].map(async (half) => {
        for (const [at, [flag]] of flags.entries()) {
          if (at % 2 !== half || flag === 'host') continue;
          const canary = all[at % all.length];
          if (!canary) continue;
          const value = isPath(flag)
            ? plant.path(canary.text.replaceAll('/', '_').slice(0, 200))
            : canary.text;
          const pair = flag.startsWith('tls-')
            ? ['--tls-cert', value, '--tls-key', value]
            : [`--${flag}`, value];
          const running = plant.start(['serve', '--port', '0', ...pair]);
          // Most are refused; a command may be any text.
          const [said] = await running.says(/error:|hkctl serves/);
          const { code, stdout, stderr } = await (said === 'error:'
            ? running.ended
            : running.stop());
          expect(code, `${flag} ${stderr}`).toBe(flag === 'notify' ? 0 : 2);
          expect(
            new CanaryWatch([canary]).leakIn(stdout + stderr),
            `${flag} ${canary.form}\n${stdout}${stderr}`,
          ).toBeUndefined();
        }
      }),
    );
  });
});
