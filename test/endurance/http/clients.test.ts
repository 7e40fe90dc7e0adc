import { join } from 'node:path';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { openapiDocument } from '../../../src/http/openapi/document.ts';
import { resources } from '../../../src/resources/index.ts';

const file = join(process.cwd(), 'test', 'golden', 'openapi.json');
const document = JSON.stringify(openapiDocument(resources, { version: '1.2.3', baseUrl: 'https://plant.test' }));

it('passes the recommended rules of redocly', { timeout: 120_000 }, async () => {
  const redocly = join(process.cwd(), 'node_modules', '.bin', 'redocly');
  const { stdout } = await execa(redocly, ['lint', file, '--extends', 'recommended', '--format', 'json'], {
    // Otherwise it would ask its makers for news, and report this run to them.
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
    // Its declared type is that of a ruleset with parts that are optional to the one it is given to.
    extends: [[oas as RulesetDefinition, 'recommended']],
    rules: {
      // Since OpenAPI 3.1 a requirement of any scheme may name the roles it takes, here the permissions of a key. This
      // rule still wants each name among the scopes of OAuth, which is another scheme. That the scheme itself exists is
      // held by redocly, that the names are the right ones by openapi.test.ts.
      'oas3-operation-security-defined': 'off',
    },
  });
  const problems = await spectral.run(JSON.parse(document));
  expect(problems.map(({ code, message, path }) => `${path.join('.')}: ${code} ${message}`)).toEqual([]);
});
