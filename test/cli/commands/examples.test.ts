import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examplePrograms } from '../../../src/core/operations/examples.ts';
import { manFolder, programIn } from '../../docs/mdoc.ts';
import { Cli } from '../harness.ts';

const cli = new Cli();

it.each([
  ['gateway.py', 'hkctl-gateway.7', '.Sh PYTHON'],
  ['gateway.sh', 'hkctl-gateway.7', '.Sh SHELL'],
  ['mirror.py', 'hkctl-api.7', '.Ss Python'],
  ['mirror.mjs', 'hkctl-api.7', '.Ss Node.js'],
])('examples %s prints the program of %s as it stands there', async (name, page, heading) => {
  expect((await cli.ok(['examples', name])).stdout).toBe(programIn(page, heading));
});

it('examples gateway-node-red.json prints a flow that Node-RED can import', async () => {
  const flow = JSON.parse((await cli.ok('examples gateway-node-red.json')).stdout);
  expect(flow).toContainEqual(expect.objectContaining({ type: 'http request' }));
});

it('lists every program that is shipped, without a store or a profile', async () => {
  const { stdout, stderr } = await cli.ok('examples');
  const files = readdirSync(join(manFolder, 'examples')).sort();
  const rows = stdout.trimEnd().split('\n').slice(1);
  expect(rows.map((row) => row.split('\t')[0]).sort()).toEqual(files);
  expect(stderr).toContain('hkctl examples gateway.py > gateway.py');
  expect((await cli.ok('examples --json')).json()).toEqual(examplePrograms);
  const { text } = (await cli.ok('examples mirror.py --json')).json<{ text: string }>();
  expect(text).toContain('sync_token');
  const { code, stderr: wrong } = await cli.run('examples gatway.py');
  expect([code, wrong]).toEqual([2, expect.stringContaining('Did you mean gateway.py?')]);
});

const configurations = [
  'telegraf.conf',
  'telegraf-influxdb.conf',
  'grafana.json',
  'excel.pq',
  'rotate-remote.sh',
  'rotate.yml',
  'pre-receive.sh',
  'kubernetes.yaml',
  'nginx.conf',
  'Caddyfile',
  'prometheus.yml',
] as const;

describe.each(configurations)('the configuration %s', (name) => {
  const { page = '' } = examplePrograms.find((one) => one.name === name) ?? {};

  it('begins with what it does, what to replace, and where it is explained', async () => {
    const { stdout } = await cli.ok(['examples', name]);
    const first = name === 'grafana.json' ? JSON.parse(stdout).description : stdout;
    const lines = first.replace(/^#!.*\n/, '').split('\n', 3);
    expect(lines[1]).toMatch(/^(# |\/\/ )?Replace /);
    expect(lines[2]).toMatch(/^(# |\/\/ )?Explained in /);
    expect(lines[2]).toContain(page);
  });

  it('is explained on that page, in the section that it names', async () => {
    const [, section = ''] =
      /Explained in .*?, section ([A-Z ]+)/.exec((await cli.ok(['examples', name])).stdout) ?? [];
    const [, title = '', number = ''] = /^(.*)\((\d)\)$/.exec(page) ?? [];
    const text = readFileSync(join(manFolder, `${title}.${number}`), 'utf8');
    const explained = text.split(/^\.Sh /m).find((part) => part.startsWith(`${section}\n`));
    expect(explained).toContain(`hkctl examples ${name}`);
  });
});

it.each([40, 60, 80])(
  'the list on a terminal of %i columns breaks between words',
  async (columns) => {
    const terminal = { columns, rows: 60 };
    const { stdout } = await cli.ok('examples', { terminal, env: { NO_COLOR: '1' } });
    const words = new Set(
      examplePrograms.flatMap(({ name, does, page }) => [name, page, ...does.split(' ')]),
    );
    const lines = stdout.trimEnd().split('\n').slice(1);
    expect(lines.length).toBeGreaterThanOrEqual(examplePrograms.length);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(columns);
      for (const word of line.trim().split(/ +/)) expect(words).toContain(word);
    }
  },
);
