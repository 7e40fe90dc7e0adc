import { permissionGroups, presets } from '../../core/access/permissions.ts';
import { defineCommand, type Noun } from '../command/command.ts';
import { type Column, columnsFlag, createListing } from '../table/table.ts';
import { wrapLabelled } from '../terminal/wrap.ts';

const listCommand = defineCommand({
  summary: 'List the permissions a key can hold, by group, and the presets',
  readOnly: true,
  fields: ['groups', 'presets'],
  flags: { columns: columnsFlag },
  examples: [
    ['hkctl permissions list', 'for people'],
    ['hkctl permissions list --json', 'for programs'],
  ],
  async run(context, { columns: chosen }) {
    if (context.json) {
      const namedPresets = Object.entries(presets).map(([name, preset]) => ({ name, ...preset }));
      context.printJson({ groups: permissionGroups, presets: namedPresets });
      return;
    }
    const { style, io, print } = context;
    if (!io.stdout.isTTY || chosen.length > 0) {
      createListing(context, permissionColumns, chosen).print(permissionRows());
      return;
    }

    const printFact = (label: string, value: string) =>
      print(...wrapLabelled(label, value, io.stdout.columns()));
    for (const { name, permissions } of permissionGroups) {
      print(style.bold(name));
      for (const { key, label } of permissions) {
        printFact(`  ${key.padEnd(26)} `, label);
      }
    }

    print('', style.bold('Presets'));
    for (const [name, { label, permissions }] of Object.entries(presets)) {
      const content =
        permissions.length > 6 ? 'every listed client permission' : permissions.join(', ');
      printFact(`  ${name.padEnd(18)} `, `${label}: ${content}`);
    }
  },
});

interface PermissionRow {
  group: string;
  name: string;
  label: string;
  permissions: readonly string[];
}

/** The permissions and the presets as rows, for programs. */
function permissionRows(): PermissionRow[] {
  const groupRows = permissionGroups.flatMap(({ name: group, permissions }) =>
    permissions.map(({ key, label }) => ({ group, name: key, label, permissions: [key] })),
  );
  const presetRows = Object.entries(presets).map(([name, { label, permissions }]) => ({
    group: 'Presets',
    name,
    label,
    permissions,
  }));
  return [...groupRows, ...presetRows];
}

const permissionColumns: Column<PermissionRow>[] = [
  { heading: 'GROUP', cell: ({ group }) => group, min: 10 },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'LABEL', cell: ({ label }) => label, min: 10 },
  { heading: 'PERMISSIONS', cell: ({ permissions }) => permissions.join(','), min: 10 },
];

export default { verbs: { list: listCommand } } satisfies Noun;
