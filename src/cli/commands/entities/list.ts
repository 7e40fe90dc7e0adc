import { listEntities } from '../../../core/organization/entities.ts';
import type { Entity } from '../../../core/port/entities.ts';
import { defineCommand } from '../../command.ts';
import { printSummary, printTable } from '../../table/table.ts';
import { entityJson } from '../../terminal/output.ts';
import { counted } from '../../terminal/sentence.ts';
import { paintStatus } from '../../terminal/style.ts';

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
    if (context.json) {
      context.printJson(entities.map(entityJson));
      return;
    }
    const columns = [
      { heading: 'CODE', cell: ({ code }: Entity) => code, paint: context.style.cyan, min: 8 },
      { heading: 'NAME', cell: ({ name }: Entity) => name, min: 16 },
      { heading: 'TIME ZONE', cell: ({ timezone }: Entity) => timezone, min: 12, leaveOut: 1 },
      { heading: 'STATUS', cell: ({ status }: Entity) => status, paint: paintStatus(context.style) },
    ];
    await printTable(context, columns, entities, 'No entities.');
    if (entities.length === 0) {
      context.say('Add one: hkctl entities add CODE --name N --timezone TZ');
      return;
    }
    const inactive = entities.filter(({ status }) => status === 'inactive').length;
    const counts = [counted(entities.length, 'entity'), ...(inactive > 0 ? [`${inactive} inactive`] : [])];
    await printSummary(context, counts, 'hkctl keys list --entity CODE');
  },
});
