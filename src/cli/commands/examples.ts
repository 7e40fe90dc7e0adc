import { examplePrograms } from '../../core/operations/examples.ts';
import { defineCommand } from '../command/command.ts';
import { requireOneOf } from '../command/flags.ts';
import { columnsFlag, printTable } from '../table/table.ts';

const names = examplePrograms.map(({ name }) => name);

export default defineCommand({
  description: 'Programs and configurations that the manual explains. Without NAME a list of them.',
  readOnly: true,
  fields: ['name', 'page', 'does', 'text'],
  flags: { columns: columnsFlag },
  arguments: [{ spelling: '[NAME]', doc: `the one to print: ${names.join(', ')}` }],
  examples: [
    ['hkctl examples', 'what there is'],
    ['hkctl examples gateway.py > gateway.py', 'a gateway that survives a day offline'],
    ['hkctl examples gateway-node-red.json', 'a flow to import into Node-RED'],
    ['hkctl examples telegraf.conf', 'the output of Telegraf to hkctl'],
  ],
  async run(context, { columns: chosen }, [typedName]) {
    if (typedName !== undefined) {
      const name = requireOneOf(typedName, names);
      const text = await context.services.example(name);
      context.printDocument(text.trimEnd(), { name, text });
    } else {
      const columns = [
        { heading: 'NAME', cell: ({ name }: (typeof examplePrograms)[number]) => name },
        {
          heading: 'WHAT IT DOES',
          cell: ({ does }: (typeof examplePrograms)[number]) => does,
          min: 20,
          continues: true,
        },
        {
          heading: 'EXPLAINED IN',
          cell: ({ page }: (typeof examplePrograms)[number]) => page,
          leaveOut: 1,
        },
      ];
      await printTable(context, columns, examplePrograms, {
        json: (program) => program,
        none: '',
        chosen,
      });
      context.say('Print one: hkctl examples gateway.py > gateway.py');
    }
  },
});
