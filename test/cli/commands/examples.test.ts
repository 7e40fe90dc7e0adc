import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
