import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { apiCodes } from '../../../src/http/answers/problem.ts';
import { openapiDocument } from '../../../src/http/openapi/document.ts';
import { resources } from '../../../src/resources/index.ts';

type Json = Record<string, unknown>;

const deployment = { version: '1.2.3', baseUrl: 'https://plant.test' };
const document = openapiDocument(resources, deployment) as Json;
const golden = join(process.cwd(), 'test', 'golden', 'openapi.json');

/** One list of each kind. The same code describes every other one, whose declaration hkctl-resources(7) shows. */
const shownLists: readonly string[] = ['orders', 'parts', 'sensors'];

it('is the golden document: a change to it changes the interface', () => {
  const shown = resources.filter(({ name }) => shownLists.includes(name));
  const text = `${JSON.stringify(openapiDocument(shown, deployment), null, 2)}\n`;
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, 'utf8'));
});

describe('examples', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'document', ...document });

  /** Every media type object of the document that has a schema, with its JSON pointer. */
  function* mediaTypes(value: unknown, pointer = ''): Generator<{ pointer: string; media: Json }> {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const at = `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
      if (pointer.endsWith('/content')) yield { pointer: at, media: inner as Json };
      else yield* mediaTypes(inner, at);
    }
  }

  it('match their schemas everywhere', () => {
    let count = 0;
    for (const { pointer, media } of mediaTypes(document)) {
      const several = Object.values(
        (media.examples ?? {}) as Record<string, { value: unknown }>,
      ).map(({ value }) => value);
      const examples = 'example' in media ? [media.example] : several;
      const validate = ajv.compile({ $ref: `document#${pointer}/schema` });
      for (const example of examples) {
        count++;
        expect(validate(example), `${pointer} ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    }
    expect(count).toBeGreaterThan(60);
  });

  it('of parameters match their schemas', () => {
    let count = 0;
    const paths = document.paths as Record<string, Record<string, { parameters?: Json[] }>>;
    for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
      for (const { schema, example, name } of operation.parameters ?? []) {
        if (example === undefined) continue;
        count++;
        expect(ajv.validate(schema as Json, example), `${name} ${JSON.stringify(example)}`).toBe(
          true,
        );
      }
    }
    expect(count).toBeGreaterThan(60);
  });
});

it('documents every code of the API', () => {
  const text = JSON.stringify(document);
  for (const code of apiCodes) expect(text).toContain(`\`${code}\``);
});

it('requires any one of the declared permissions for each operation', () => {
  const paths = document.paths as Record<string, { get?: { security?: unknown } }>;
  for (const { name, permissions } of resources) {
    expect(paths[`/api/v1/${name}`]?.get?.security).toEqual(
      permissions.map((permission) => ({ apiKey: [permission] })),
    );
  }
});
