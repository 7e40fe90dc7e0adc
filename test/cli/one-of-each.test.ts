import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { Cli } from './harness.ts';

const at = '2026-11-20T07:59:00Z';
const header = 'id,code,name,asset_id,quantity,unit,is_active';

it('says one key, one record or one hour in the singular', async () => {
  const cli = new Cli();
  const folder = dirname(dirname(cli.store));
  const texts: string[] = [];
  const run = async (line: string | readonly string[], input = '') => {
    const { stdout, stderr } = await cli.run(line, { input });
    texts.push(stdout, stderr);
  };

  await run('init --org A --entity BER --entity-name B --timezone Europe/Berlin --admin root');
  await run('audit verify');
  await run('doctor');
  const key = 'keys create --name One --entity BER --preset sensor-gateway --expires 1d';
  await run(`${key} --secret-file ${join(folder, 'key')}`);
  await run('import sensors - --entity BER', `${header}\nA,A,a,x,t,Cel,true\n`);
  await run('import sensors - --entity BER --replace', `${header}\n`);
  await run('import sensors - --entity BER --replace --dry-run', `${header}\n`);
  await run('import sensors - --entity BER', `${header}\nA\n`);
  await run('import readings - --entity BER', `sensor,at,value\nA,${at},1\nA\n`);
  await run('import readings - --entity BER', `sensor,at,value\nA,${at},1\nB,${at},1\n`);
  await run('tenants set --retain-readings 1d');
  for (const line of ['status', 'doctor', 'keys list', 'keys', 'sensors list', 'users list'])
    await run(line);
  await run(`sensors show A --entity BER --from 2026-11-20 --to 2026-11-21`);
  await run(`sensors erase A --entity BER --from 2026-11-20 --to 2026-11-21 --yes`);
  await run(['backup', join(folder, 'one.backup')]);
  await run('entities deactivate BER --yes');
  await run('entities activate BER');
  await run('keys revoke One --yes');
  await run('doctor');
  await run('keys list --all');

  const plurals = texts
    .join('\n')
    .match(
      /(?<![\d.,:-])1 [a-z ]*?(?:keys|records|files|rows|readings|sensors|hours|days|columns|heads|sites|users)\b/g,
    );
  expect(plurals).toBeNull();
  expect(texts.join('\n')).toContain(', 1 key, ');
  expect(texts.join('\n')).toContain('1 record, the chain is whole.');
});
