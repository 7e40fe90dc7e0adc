import openapiTS, { astToString } from 'openapi-typescript';
import { expect, it } from 'vitest';
import { openapiDocument } from '../../../src/http/openapi/document.ts';
import { resources } from '../../../src/resources/index.ts';

const document = openapiDocument(resources, { version: '1.2.3', baseUrl: 'https://plant.test' });

it('a generator of client types reads the document, with every path and schema', async () => {
  const types = astToString(await openapiTS(JSON.stringify(document)));
  const { paths, components } = document as {
    paths: object;
    components: { schemas: object };
  };
  const names = [
    ...Object.keys(paths).map((path) => `    "${path}": {`),
    ...Object.keys(components.schemas).map((schema) => `        ${schema}: `),
  ];

  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !types.includes(`\n${name}`))).toEqual([]);
});
