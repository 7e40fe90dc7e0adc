import { operation } from './operation.ts';

const html = { 'text/html': { schema: { type: 'string' } } };
const page = { tag: 'Documents', kind: 'public', content: html, okHeaders: ['ETag'] } as const;

export const publicPaths = {
  '/api/v1': {
    get: operation({
      ...page,
      id: 'getDocumentsAtRoot',
      summary: 'Interactive documents',
      description: 'The interactive documentation of the API, the same as at `/api/v1/docs`.',
    }),
  },
  '/api/v1/docs': {
    get: operation({
      ...page,
      id: 'getDocuments',
      summary: 'Interactive documents',
      description: 'The interactive documentation of the API; it works without the internet and stores no key.',
    }),
  },
  '/api/v1/openapi.json': {
    get: operation({
      ...page,
      id: 'getSpecification',
      summary: 'This document',
      description: 'The machine-readable specification, with the exact response schemas of the deployed version.',
      content: { 'application/json': { schema: { type: 'object' } } },
    }),
  },
};

export const keyPaths = {
  '/api/v1/me': {
    get: operation({
      id: 'getMe',
      tag: 'Key',
      kind: 'key',
      summary: 'Confirm the key',
      description: 'Returns the organization, the entity and the permissions of the key in the request.',
      okHeaders: ['ETag'],
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Me' },
          example: {
            tenant: { id: '0b9f6a1e-5a55-4c62-9a53-3f1f4c1f2f10', name: 'Nordwerk' },
            entity: {
              id: '5a3c52a2-6a55-4c0e-8f3c-3b7c2b8d9e01',
              code: 'BER',
              name: 'Plant Berlin',
              timezone: 'Europe/Berlin',
            },
            key: {
              id: '9c1d0f53-9a53-4f0a-9d53-6a1e5a554c62',
              prefix: 'hk_4fTq9',
              name: 'Reporting',
              expires_at: null,
            },
            permissions: ['parts.view'],
            resources: ['/api/v1/parts'],
            server_time: '2026-11-20T08:15:00.123Z',
          },
        },
      },
    }),
  },
  '/api/v1/resources': {
    get: operation({
      id: 'listResources',
      tag: 'Key',
      kind: 'key',
      summary: 'List the paths of the key',
      description: 'The paths that this key can read or, for ingest, post to; `methods` says which.',
      okHeaders: ['ETag'],
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { data: { type: 'array', items: { $ref: '#/components/schemas/ResourceEntry' } } },
            required: ['data'],
          },
          example: {
            data: [
              {
                name: 'parts',
                path: '/api/v1/parts',
                title: 'Parts',
                permissions: ['parts.view'],
                methods: ['GET'],
              },
            ],
          },
        },
      },
    }),
  },
};
