import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { execa } from 'execa';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { openapiDocument } from '../../src/http/openapi/document.ts';
import { resources } from '../../src/resources/index.ts';

const golden = join(process.cwd(), 'test', 'golden');
const file = join(golden, 'openapi.json');
const document = JSON.stringify(openapiDocument(resources, { version: '1.2.3', baseUrl: 'https://plant.test' }));

it('passes the recommended rules of redocly', { timeout: 120_000 }, async () => {
  const redocly = join(process.cwd(), 'node_modules', '.bin', 'redocly');
  const { stdout } = await execa(redocly, ['lint', file, '--extends', 'recommended', '--format', 'json'], {
    // Otherwise redocly looks for updates and sends usage data.
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    reject: false,
  });
  const { totals, problems } = JSON.parse(stdout);
  expect(problems).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

it('passes the recommended rules of spectral', { timeout: 120_000 }, async () => {
  const spectral = new Spectral();
  spectral.setRuleset({
    // The declared type of the ruleset differs from the one that setRuleset wants in optional parts.
    extends: [[oas as RulesetDefinition, 'recommended']],
    rules: {
      // Since OpenAPI 3.1 a requirement of any scheme may name the roles it takes, here the permissions of a key. This
      // rule still looks for each name among OAuth scopes, which is another scheme. redocly checks that the scheme
      // exists, and openapi.test.ts checks the names.
      'oas3-operation-security-defined': 'off',
    },
  });
  const problems = await spectral.run(JSON.parse(document));
  expect(problems.map(({ code, message, path }) => `${path.join('.')}: ${code} ${message}`)).toEqual([]);
});

it('generates the types that the end-to-end tests use', async () => {
  const kept = join(golden, 'openapi.ts');
  const types = astToString(await openapiTS(document));
  if (process.env.UPDATE_GOLDEN) writeFileSync(kept, types);
  expect(types).toBe(readFileSync(kept, 'utf8'));
});
