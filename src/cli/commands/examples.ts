import { examplePrograms } from '../../core/operations/examples.ts';
import { defineCommand } from '../command/command.ts';
import { requireOneOf } from '../command/flags.ts';
import { type Column, columnsFlag, printTable } from '../table/table.ts';

type ExampleProgram = (typeof examplePrograms)[number];

const programColumns: Column<ExampleProgram>[] = [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'WHAT IT DOES', cell: ({ does }) => does, min: 20, continues: true },
  { heading: 'EXPLAINED IN', cell: ({ page }) => page, leaveOut: 1 },
];

const programNames = examplePrograms.map(({ name }) => name);

export default defineCommand({
  description: 'Programs and configurations that the manual explains. Without NAME a list of them.',
  readOnly: true,
  fields: ['name', 'page', 'does', 'text'],
  flags: { columns: columnsFlag },
  arguments: [{ spelling: '[NAME]', doc: `the one to print: ${programNames.join(', ')}` }],
  examples: [
    ['hkctl examples', 'what there is'],
    ['hkctl examples gateway.py > gateway.py', 'a gateway that survives a day offline'],
    ['hkctl examples gateway-node-red.json', 'a flow to import into Node-RED'],
    ['hkctl examples telegraf.conf', 'the output of Telegraf to hkctl'],
  ],
  async run(context, { columns: chosen }, [typedName]) {
    if (typedName !== undefined) {
      const name = requireOneOf(typedName, programNames);
      const text = await context.services.example(name);
      context.printDocument(text.trimEnd(), { name, text });
      return;
    }
    await printTable(context, programColumns, examplePrograms, {
      json: (program) => program,
      none: '',
      chosen,
    });
    context.say('Print one: hkctl examples gateway.py > gateway.py');
  },
});
