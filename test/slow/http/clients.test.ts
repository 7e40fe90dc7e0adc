import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openapiDocument } from '../../../src/http/openapi/document.ts';
import { resources } from '../../../src/resources/index.ts';
import { runProgramAsync } from '../../run-program.ts';

/** Beyond those that redocly recommends: what generators of clients and readers of the pages rest upon. */
const stricter = [
  'info-contact',
  'operation-description',
  'operation-tag-defined',
  'operation-singular-tag',
  'operation-parameters-unique',
  'no-duplicated-tag-names',
  'no-invalid-media-type-examples',
  'no-invalid-parameter-examples',
  'no-invalid-schema-examples',
];

it('passes the recommended rules of redocly, and stricter ones', { timeout: 120_000 }, async () => {
  const redocly = join(process.cwd(), 'node_modules', '.bin', 'redocly');
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-redocly-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // JSON is YAML too; a file of another name would not be read.
  const config = join(folder, 'redocly.yaml');
  const file = join(folder, 'openapi.json');
  const deployment = { version: '1.2.3', baseUrl: 'https://plant.test' };
  writeFileSync(file, JSON.stringify(openapiDocument(resources, deployment)));
  const rules = Object.fromEntries(stricter.map((rule) => [rule, 'error']));
  writeFileSync(config, JSON.stringify({ extends: ['recommended'], rules }));
  const { stdout } = await runProgramAsync(
    redocly,
    ['lint', file, '--config', config, '--format', 'json'],
    {
      // Otherwise it would ask its makers for news, and report this run to them.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  const { totals, problems } = JSON.parse(stdout);
  expect(problems).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});
