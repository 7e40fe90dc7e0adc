import { listEntities } from '../../../core/organization/entities.ts';
import { defineCommand } from '../../command.ts';
import { entityJson, printTable } from '../../terminal/output.ts';

/** `hkctl entities list` */
export const list = defineCommand({
  name: 'list',
  summary: 'List the entities of the organization',
  readOnly: true,
  flags: {},
  examples: [['hkctl entities list', 'all of them']],
  async run(context) {
    const { domain, actor } = await context.session();
    const entities = await listEntities(domain, actor);
    if (context.json) context.printJson(entities.map(entityJson));
    else {
      const rows = entities.map(({ code, name, timezone, status }) => [
        context.style.cyan(code),
        name,
        timezone,
        status,
      ]);
      await printTable(context, ['CODE', 'NAME', 'TIME ZONE', 'STATUS'], rows, 'No entities.');
    }
  },
});
