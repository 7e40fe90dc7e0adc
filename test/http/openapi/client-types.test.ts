import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { openapiDocument } from '../../../src/http/openapi/document.ts';
import { resources } from '../../../src/resources/index.ts';

const golden = join(process.cwd(), 'test', 'golden');
const document = JSON.stringify(
  openapiDocument(resources, { version: '1.2.3', baseUrl: 'https://plant.test' }),
);

it('generates the types that the end-to-end tests use', async () => {
  const kept = join(golden, 'openapi.ts');
  const types = astToString(await openapiTS(document));
  if (process.env.UPDATE_GOLDEN) writeFileSync(kept, types);
  expect(types).toBe(readFileSync(kept, 'utf8'));
});
