import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Plant } from '../../e2e/plant.ts';
import type { Outcome } from '../../run-program.ts';
import { createExampleShell, type ExampleShell } from './shell.ts';

interface Task {
  'ansible.builtin.command': { argv: string[] };
  environment: Record<string, string>;
  loop: string;
  changed_when: string;
}

interface Play {
  vars: { keys: Record<string, string>[] };
  tasks: Task[];
}

const keyName = 'Gateway hall 3';
let plant: Plant;
let shell: ExampleShell;
beforeAll(async () => {
  plant = await Plant.open();
  shell = createExampleShell(plant);
  for (const name of ['rotate-remote.sh', 'rotate.yml']) {
    plant.write(name, (await plant.ok(['examples', name])).stdout);
  }
});
afterAll(() => plant.close());

/** The file of the key on the other machine, below the folder that ssh leads to. */
const keyFile = () => `${shell.machine('gateway3')}/key`;
const restarts = () => `${shell.machine('gateway3')}/restarts`;

beforeEach(async () => {
  rmSync(restarts(), { force: true });
  await plant.hkctl(['keys', 'revoke', keyName, '--yes']);
  const { secret } = await plant.createKey(keyName, 'sensor-gateway');
  writeFileSync(keyFile(), `${secret}\n`);
});

/** Whether a secret would be let in: as the exit status of `keys verify`. */
const accepted = async (secret: string) =>
  (await plant.hkctl(['keys', 'verify'], { input: secret })).code === 0;

/** The only task of the playbook with its values for the only key of its list, as Ansible fills them in. */
function playbookTask(): { argv: string[]; env: Record<string, string>; changedWhen: string } {
  const [play] = parse(readFileSync(plant.path('rotate.yml'), 'utf8'), {
    version: '1.1',
  }) as Play[];
  const [task] = play?.tasks ?? [];
  const [item] = play?.vars.keys ?? [];
  if (!task || !item) throw new Error('rotate.yml has no task or no key.');
  expect(task.loop).toBe('{{ keys }}');
  const filled = (text: string) =>
    text.replace(/\{\{ item\.(\w+) \}\}/g, (_, name: string) => item[name] ?? 'nothing');
  return {
    argv: task['ansible.builtin.command'].argv.map(filled),
    env: Object.fromEntries(
      Object.entries(task.environment).map(([name, text]) => [name, filled(text)]),
    ),
    changedWhen: task.changed_when,
  };
}

interface Place {
  host?: string;
  /** How old the key must be. */
  age?: string;
}

const file = 'key';

/** Each example on a machine where `90d` is another age. */
const examples: [string, (place: Place) => Promise<Outcome>][] = [
  [
    'rotate-remote.sh',
    ({ host = 'gateway@gateway3', age = '0s' }) => {
      const text = readFileSync(plant.path('rotate-remote.sh'), 'utf8');
      expect(text).toContain('--if-older-than 90d');
      const script = plant.write('aged.sh', text.replace('90d --yes', `${age} --yes`));
      return shell.run('sh', [script, keyName, host, file]);
    },
  ],
  [
    'rotate.yml',
    ({ host = 'gateway@gateway3', age = '0s' }) => {
      const { argv, env } = playbookTask();
      const [program = '', ...args] = argv.map((word) => (word === '90d' ? age : word));
      return shell.run(program, args, { ...env, HOST: host, FILE: file });
    },
  ],
];

describe.each(examples)('%s', (_name, run) => {
  it('puts the new secret on the other machine, and restarts what uses it', async () => {
    const before = readFileSync(keyFile(), 'utf8');
    const { code, stdout, stderr } = await run({});
    expect(code, stderr).toBe(0);
    const after = readFileSync(keyFile(), 'utf8');
    expect(after).toMatch(/^hk_\w{49}\n$/);
    expect([await accepted(before), await accepted(after)]).toEqual([false, true]);
    expect(readFileSync(restarts(), 'utf8')).toBe('restart gateway\n');
    expect(`${stdout}${stderr}`).not.toContain(after.trim());
    expect(existsSync(`${keyFile()}.new`)).toBe(false);
  });

  it('leaves a young key alone', async () => {
    const before = readFileSync(keyFile(), 'utf8');
    expect((await run({ age: '90d' })).code).toBe(0);
    expect(readFileSync(keyFile(), 'utf8')).toBe(before);
    expect(existsSync(restarts())).toBe(false);
  });

  it('rotates nothing while the machine is away', async () => {
    const before = readFileSync(keyFile(), 'utf8');
    const { code, stderr } = await run({ host: 'away' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('othing was rotated')]);
    expect(await accepted(before)).toBe(true);
    expect((await run({})).code).toBe(0);
  });

  it('leaves the old file if the secret does not arrive whole', async () => {
    const before = readFileSync(keyFile(), 'utf8');
    writeFileSync(`${shell.machine('gateway3')}/cut`, '');
    const { code } = await run({ host: 'gateway@gateway3' });
    rmSync(`${shell.machine('gateway3')}/cut`);
    expect(code).toBe(1);
    expect(readFileSync(keyFile(), 'utf8')).toBe(before);
    expect(await accepted(before)).toBe(true);
  });
});

describe('rotate.yml', () => {
  it('tells Ansible what changed by the answer of hkctl', async () => {
    const { changedWhen } = playbookTask();
    expect(changedWhen).toBe(
      'rotation.rc == 0 and (rotation.stdout | from_json).revoked is not none',
    );
    const [, run] = examples[1] ?? [];
    expect(JSON.parse((await run?.({ age: '90d' }))?.stdout ?? '').revoked).toBeNull();
    const rotated = JSON.parse((await run?.({}))?.stdout ?? '');
    expect(rotated).toEqual({ key: expect.anything(), revoked: expect.anything() });
  });

  it('gives the values of its own list to the command', () => {
    const { argv, env } = playbookTask();
    expect(argv.slice(0, 4)).toEqual(['hkctl', 'keys', 'rotate', keyName]);
    expect(env).toEqual({
      HOST: 'gateway@gateway3.example.com',
      FILE: '/etc/gateway/key',
      RESTART: 'sudo systemctl restart gateway',
    });
  });
});
