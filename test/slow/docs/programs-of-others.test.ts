import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { manFolder, pageFiles } from '../../docs/mdoc.ts';
import { listening } from '../../http/faces.ts';
import { HttpPlant } from '../../http/plant.ts';
import { runProgram } from '../../run-program.ts';
import { needPrograms } from '../machine/needs.ts';

needPrograms('mandoc', 'promtool', 'systemd-analyze');
const cli = new Cli();
const newFolder = () => mkdtempSync(join(tmpdir(), 'hkctl-others-'));

describe('the manual page', () => {
  it.each(pageFiles())('%s is clean mdoc', (file) => {
    const lint = runProgram('mandoc', ['-T', 'lint', '-W', 'warning', join(manFolder, file)]);
    expect(`${lint.stdout}${lint.stderr}`).toBe('');
    expect(lint.code).toBe(0);
  });
});

describe('promtool', () => {
  it('accepts the metrics of the daemon', async () => {
    const plant = await HttpPlant.open();
    await plant.key();
    const face = await listening(plant);
    await face.fetch('/api/v1/me');
    const input = await (await face.fetch('/metrics')).text();
    await face.close();
    await plant.domain.store.close();
    const { code, stderr } = runProgram('promtool', ['check', 'metrics'], {
      input,
    });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('accepts the rules of alerts', async () => {
    const file = join(newFolder(), 'rules.yml');
    writeFileSync(file, (await cli.ok(['metrics-rules'])).stdout);
    const { code, stdout } = runProgram('promtool', ['check', 'rules', file]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/SUCCESS: \d+ rules found/)]);
  });

  it('sees the alert of a key go on when it has expired', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'rules.yml'), (await cli.ok(['metrics-rules'])).stdout);
    // Prometheus tests begin at 1970: the key expires after a day.
    const series = 'hkctl_key_expiry_timestamp_seconds{prefix="hk_a",entity="BER"}';
    const alertAt = (time: string, state: string) => `
      - eval_time: ${time}
        alertname: HkctlKeyExpiresSoon
        exp_alerts:
          - exp_labels: { severity: critical, prefix: hk_a, entity: BER }
            exp_annotations:
              summary: "Key hk_a of BER ${state}"
              description: "Create another key and give it to the client: hkctl keys show hk_a"`;
    const rulesTest = `rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: '${series}'
        values: '86400x3000'
    alert_rule_test:${alertAt('23h', 'expires in 1h 0m 0s')}${alertAt('25h', 'has expired')}${alertAt('2d', 'has expired')}
`;
    writeFileSync(join(folder, 'test.yml'), rulesTest);
    const { code, stdout, stderr } = runProgram('promtool', [
      'test',
      'rules',
      join(folder, 'test.yml'),
    ]);
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(code).toBe(0);
  });
});

it('the units are correct for systemd, and expose at most 1.5', async () => {
  const folder = newFolder();
  const analyze = (...args: string[]) => runProgram('systemd-analyze', args);
  const tls = ['--tls-cert', '/etc/a.pem', '--tls-key', '/etc/a.key'];
  // A program that is there, as systemd wants it; the one of a clone may be in a folder that the units hide.
  await cli.ok(['systemd-unit', '--folder', folder, '--exec', '/bin/sh', ...tls]);
  await cli.ok(['systemd-unit', '--socket', '--backup', '--folder', folder, '--exec', '/bin/sh']);
  const files = readdirSync(folder).map((name) => join(folder, name));
  expect(files).toHaveLength(4);
  const { stderr } = analyze('verify', '--man=no', ...files);
  // What systemd-analyze reports of other units of the machine is none of ours.
  expect(stderr.split('\n').filter((line) => line.includes('hkctl'))).toEqual([]);
  for (const name of ['hkctl.service', 'hkctl-backup.service']) {
    const { code, stdout } = analyze(
      'security',
      '--offline=true',
      '--threshold=15',
      join(folder, name),
    );
    expect(code, stdout).toBe(0);
  }
});
