import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Plant } from '../../e2e/plant.ts';
import { root } from '../../e2e/program.ts';
import { needPrograms } from '../machine/needs.ts';

needPrograms('curl');

it('the curl commands that npm start prints can be pasted and answer 200', async () => {
  const plant = new Plant();
  onTestFinished(() => plant.close());
  const start = plant.attach(
    process.execPath,
    [join(root, 'dist', 'start.cjs')],
    { HKCTL_PORT: '0' },
    root,
  );
  await start.says(/Ctrl-C ends it/);
  const [way = ''] = /^ {2}cd .+\n {2}alias .+\n {2}KEY=.+$/m.exec(start.stdout) ?? [];
  const blocks = [...start.stdout.matchAll(/^ {2}curl [\s\S]*?(?=^ {2}→)/gm)].map(
    ([block]) => block,
  );
  expect(blocks).toHaveLength(2);
  // As in a shell where they are pasted; only the status is asked for as well, in a line after that of the answer.
  const typed = `curl() { command curl -w '%{http_code}\\n' "$@"; }\n${way}\n${blocks.join('\n')}`;
  const pasted = await plant.attach('sh', ['-c', typed], {}, '/').ended;
  expect(pasted.code, pasted.stderr).toBe(0);
  const [me = '', meStatus, posted = '', postStatus] = pasted.stdout.split('\n');
  expect([meStatus, postStatus]).toEqual(['200', '200']);
  expect(JSON.parse(me)).toMatchObject({ entity: { code: 'BER' } });
  // The very same reading was posted before by the program itself.
  expect(JSON.parse(posted)).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
  expect((await start.stop()).code).toBe(0);
});
