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
    const { style } = context;
    for (const { name, permissions } of permissionGroups) {
      context.print(style.bold(name), ...permissions.map(({ key, label }) => `  ${key.padEnd(26)} ${label}`));
    }
    context.print('', style.bold('Presets'));
    for (const [name, { label, permissions }] of Object.entries(presets)) {
      const content = permissions.length > 6 ? 'every listed client permission' : permissions.join(', ');
      context.print(...wrapLabelled(`  ${name.padEnd(18)} `, `${label}: ${content}`, context.io.stdout.columns()));
    }
  },
});

export default { verbs: { list } } satisfies Noun;
