import {
  type ClientPermission,
  defaultPermissions,
  type PresetName,
  permissionGroups,
  presets,
} from '../../core/access/permissions.ts';
import { askChoice, askChoices } from '../prompts/prompts.ts';
import type { Io } from '../terminal/io.ts';

/** Asks for a preset, or for a custom selection by group with Jobs and Orders view ticked (specification 2.2). */
export async function askPermissions(io: Io): Promise<ClientPermission[]> {
  const preset = await askChoice<PresetName | 'custom'>(io, 'Permissions', [
    { name: 'Custom selection', value: 'custom', description: 'Jobs and Orders view is ticked to begin with' },
    ...Object.entries(presets).map(([name, { label, permissions }]) => ({
      name: label,
      value: name as PresetName, // the keys of that very object
      description: permissions.length > 6 ? 'every listed client permission' : permissions.join(', '),
    })),
  ]);
  if (preset !== 'custom') return [...presets[preset].permissions];
  return askChoices(
    io,
    'Custom selection',
    permissionGroups.map(({ name, permissions }) => ({
      heading: name,
      choices: permissions.map(({ key, label }) => ({
        name: `${label}  (${key})`,
        value: key,
        checked: defaultPermissions.includes(key),
      })),
    })),
  );
}
