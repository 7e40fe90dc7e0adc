import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { openapiDocument } from '../../src/http/openapi/document.ts';
import { resources } from '../../src/resources/index.ts';

const golden = join(process.cwd(), 'test', 'golden');
const document = JSON.stringify(openapiDocument(resources, { version: '1.2.3', baseUrl: 'https://plant.test' }));

it('gives the types with which the end-to-end tests call it, as they are kept', async () => {
  const kept = join(golden, 'openapi.ts');
  const types = astToString(await openapiTS(document));
  if (process.env.UPDATE_GOLDEN) writeFileSync(kept, types);
  expect(types).toBe(readFileSync(kept, 'utf8'));
});
