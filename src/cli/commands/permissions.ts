import { permissionGroups, presets } from '../../core/access/permissions.ts';
import { defineCommand, type Noun } from '../command/command.ts';
import { wrapLabelled } from '../terminal/wrap.ts';

const list = defineCommand({
  summary: 'List the permissions a key can hold, by group, and the presets',
  readOnly: true,
  examples: [
    ['hkctl permissions list', 'for people'],
    ['hkctl permissions list --json', 'for programs'],
  ],
  async run(context) {
    if (context.json) {
      context.printJson({
        groups: permissionGroups,
        presets: Object.entries(presets).map(([name, preset]) => ({ name, ...preset })),
      });
      return;
    }
    const { style, io, print } = context;
    const printFact = (label: string, value: string) =>
      print(...wrapLabelled(label, value, io.stdout.columns()));
    for (const { name, permissions } of permissionGroups) {
      print(style.bold(name));
      for (const { key, label } of permissions) printFact(`  ${key.padEnd(26)} `, label);
    }
    print('', style.bold('Presets'));
    for (const [name, { label, permissions }] of Object.entries(presets)) {
      const content =
        permissions.length > 6 ? 'every listed client permission' : permissions.join(', ');
      printFact(`  ${name.padEnd(18)} `, `${label}: ${content}`);
    }
  },
});

export default { verbs: { list } } satisfies Noun;
