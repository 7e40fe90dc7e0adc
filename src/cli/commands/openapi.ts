import { baseUrlFlag, defineCommand } from '../command/command.ts';

export default defineCommand({
  summary: 'Print the OpenAPI document of this version',
  readOnly: true,
  fields: ['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components'],
  flags: { baseUrl: baseUrlFlag },
  examples: [
    ['hkctl openapi > openapi.json', 'for a client generator'],
    ['hkctl openapi --base-url https://api.example.com', 'with the address of a deployment'],
  ],
  async run(context, { baseUrl }) {
    const document = await context.services.openapi(baseUrl);
    context.printDocument(JSON.stringify(document, null, 2), document);
  },
});
