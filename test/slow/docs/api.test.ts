import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { programIn } from '../../docs/mdoc.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { runProgramAsync } from '../../run-program.ts';

/** A client as the page prints it. */
const clientOf = (heading: string): string => programIn('hkctl-api.7', `.Ss ${heading}`);

/** The program that runs each client, and how to read its copy. */
const clients = {
  Python: {
    program: 'python3',
    script: 'mirror.py',
    copy: (file: string): unknown[] => {
      const database = openDatabase(file, { readonly: true });
      const rows = database.prepare<[], string>('select record from records').pluck().all();
      database.close();
      return rows.map((row) => JSON.parse(row));
    },
  },
  'Node.js': {
    program: process.execPath,
    script: 'mirror.mjs',
    copy: (file: string): unknown[] => JSON.parse(readFileSync(file, 'utf8')).records,
  },
};

let plant: Plant;
let daemon: Daemon;
let secretFile: string;
beforeAll(async () => {
  plant = await Plant.open();
  secretFile = plant.path('mirror.key');
  await plant.ok([
    'keys',
    'create',
    '--name',
    'Mirror',
    '--entity',
    'BER',
    '--permission',
    'parts.view',
    '--secret-file',
    secretFile,
  ]);
  daemon = await plant.serve();
});
afterAll(() => plant.close());

/** Imports parts `from` to `to`, each with a name. */
async function importParts(
  from: number,
  to: number,
  name: string,
  ...more: string[]
): Promise<void> {
  const rows = Array.from(
    { length: to - from },
    (_, n) => `P-${from + n},${name},PN-${from + n},true`,
  );
  const file = plant.write(
    'parts.csv',
    `${['id,name,part_number,is_active', ...rows].join('\n')}\n`,
  );
  await plant.ok(['import', 'parts', file, '--entity', 'BER', ...more]);
}

/** The list as it is now, in order of id. */
async function listed(): Promise<unknown[]> {
  const all: unknown[] = [];
  const headers = { authorization: `Bearer ${readFileSync(secretFile, 'utf8').trim()}` };
  for (let cursor = ''; ; ) {
    const answer = await fetch(
      `${daemon.url}/api/v1/parts?limit=500${cursor && `&cursor=${cursor}`}`,
      { headers },
    );
    const { data, next_cursor } = (await answer.json()) as {
      data: unknown[];
      next_cursor: string | null;
    }; // as documented
    all.push(...data);
    if (next_cursor === null) return all;
    cursor = next_cursor;
  }
}

const byId = (records: unknown[]) =>
  new Map(records.map((record) => [(record as { id: string }).id, record]));

describe.each(Object.entries(clients))(
  'the client of hkctl-api(7) in %s',
  (name, { program, script, copy }) => {
    const file = () => plant.path(`${script}.copy`);

    async function mirror(): Promise<void> {
      const args = [plant.path(script), `${daemon.url}/api/v1/parts`, secretFile, file()];
      const { code, stderr } = await runProgramAsync(program, args);
      expect(code, stderr).toBe(0);
      expect(byId(copy(file()))).toEqual(byId(await listed()));
    }

    it('says how it is used without arguments, and exits with 2', async () => {
      plant.write(script, `${clientOf(name)}\n`);
      const { code, stderr } = await runProgramAsync(program, [plant.path(script)]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(`^usage: ${script} URL `)]);
    });

    it('has at most 36 lines, and is exact after every kind of change and after a restore', async () => {
      const text = clientOf(name);
      expect(text.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(36);
      plant.write(script, `${text}\n`);
      await mirror();
      await importParts(0, 1200, 'first', '--replace');
      await mirror();
      expect(copy(file())).toHaveLength(1200);
      await importParts(1100, 1300, 'second');
      await mirror();
      await importParts(600, 1250, 'second', '--replace');
      await mirror();
      expect(copy(file())).toHaveLength(650);
      await mirror();

      const backup = plant.path(`${script}.backup`);
      await plant.ok(['backup', backup]);
      await importParts(0, 10, 'after the backup', '--replace', '--yes');
      await mirror();
      await daemon.stop();
      await plant.ok(['restore', backup, '--yes']);
      daemon = await plant.serve();
      await mirror();
      expect(copy(file())).toHaveLength(650);
    });

    it('says why it was refused', async () => {
      plant.write(script, `${clientOf(name)}\n`);
      const args = [
        plant.path(script),
        `${daemon.url}/api/v1/orders`,
        secretFile,
        plant.path(`${script}.orders`),
      ];
      expect(await runProgramAsync(program, args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('jobs_orders.view'),
      });
    });
  },
);
