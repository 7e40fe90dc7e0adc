import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';

describe('--entity', () => {
  const cli = new Cli();
  beforeAll(() => cli.seed());

  const lines = [
    'sensors list',
    'sensors export',
    'import parts -',
    'keys create --name x --preset sensor-gateway',
  ];

  it.each(lines)('%s: a missing one is answered with the codes', async (line) => {
    const { code, stderr } = await cli.run(line, { input: 'id,name,part_number,is_active\n' });
    expect([code, stderr]).toEqual([
      2,
      'error: --entity is missing.\nhint: Give one of --entity BER, CHI.\n',
    ]);
  });

  it('may be left out if one entity is active, but not for a new key', async () => {
    await cli.ok('entities deactivate CHI --yes');
    const input =
      'id,code,name,asset_id,quantity,unit,is_active\nS-1,OVEN,Oven,,temperature,Cel,true\n';
    await cli.ok('import sensors -', { input });
    expect((await cli.ok('sensors show OVEN --json')).json()).toMatchObject({ id: 'S-1' });
    const { code, stderr } = await cli.run('keys create --name x --preset sensor-gateway');
    expect([code, stderr]).toEqual([
      2,
      'error: --entity is missing.\nhint: Give one of --entity BER.\n',
    ]);
  });

  it('does not show the codes to somebody without a profile', async () => {
    const { code, stderr } = await cli.run('keys create --name x --preset sensor-gateway', {
      osAccount: 'stranger',
    });
    expect(code).toBe(4);
    expect(stderr).not.toContain('BER');
  });
});

it('--permission takes several, separated by commas', async () => {
  const cli = await new Cli().seed();
  const line =
    'keys create --name x --entity BER --permission parts.view,jobs_orders.view --allow-ip 10.0.0.0/8,::1 --json';
  const { key } = (await cli.ok(line)).json<{ key: unknown }>();
  expect(key).toMatchObject({
    permissions: ['jobs_orders.view', 'parts.view'],
    allowed_ips: ['10.0.0.0/8', '::1/128'],
  });
  const { code, stderr } = await cli.run(
    'keys create --name x --entity BER --permission parts.view,part.view',
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining('"part.view"')]);
});
