import { describe, expect, it } from 'vitest';
import { Cli, startMs } from '../../harness.ts';

describe('the addresses of keys', () => {
  const cli = new Cli();
  const listed = async (columns?: number) => {
    const terminal = columns === undefined ? {} : { terminal: { columns, rows: 24 } };
    const { stdout } = await cli.ok('keys list', { ...terminal, env: { NO_COLOR: '1' } });
    return stdout.split('\n').map((line) => line.split(line.includes('\t') ? '\t' : / {2,}/));
  };

  it('are listed where they may be used from, and the last one where they were', async () => {
    await cli.seed();
    await cli.key('everywhere');
    expect((await listed(200))[0]).not.toContain('ALLOWED FROM');
    await cli.key('two', ['--allow-ip', '10.0.0.0/8', '--allow-ip', 'fd00::/8']);
    const { key } = await cli.key(
      'three',
      '--allow-ip 10.0.0.1 --allow-ip 10.0.0.2 --allow-ip 10.0.0.3'.split(' '),
    );
    expect((await listed(200))[0]).not.toContain('USED FROM');
    const store = await (await cli.services.engine(cli.store)).open();
    await store.keys.recordUse(new Map([[key.id, { atMs: startMs, ip: '10.0.0.2' }]]));
    await store.close();
    for (const [heading = [], ...rows] of [await listed(200), await listed()]) {
      const [allowed, used] = [heading.indexOf('ALLOWED FROM'), heading.indexOf('USED FROM')];
      expect(
        rows
          .slice(0, 3)
          .map((row) => [row[1], row[allowed] || undefined, row[used] || undefined])
          .sort(),
      ).toEqual([
        ['everywhere', 'anywhere', undefined],
        ['three', '3 networks', '10.0.0.2'],
        ['two', '10.0.0.0/8, fd00::/8', undefined],
      ]);
    }
    expect((await listed(80))[0]).not.toContain('ALLOWED FROM');
  });

  it('give way to the names', async () => {
    const columns = 106;
    expect((await listed(columns))[0]).toContain('ALLOWED FROM');
    await cli.key('A bridge to the ERP of the group of plants');
    const [heading, ...rows] = await listed(columns);
    expect(heading).toEqual([
      'PREFIX',
      'NAME',
      'ENTITY',
      'LAST USED',
      'EXPIRES',
      'PERMISSIONS',
      'CREATED BY',
    ]);
    expect(rows.map((row) => row[1])).toContain('A bridge to the ERP of the group of pl…');
  });
});
