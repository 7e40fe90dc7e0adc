import type { ResourceDefinition } from '../../../core/records/fields.ts';
import type { Context } from '../../context.ts';
import { text } from '../../flags.ts';

/** The flag that names the entity of the sensors. */
export const entity = text(
  '--entity <CODE>',
  'the entity (site) of the sensors; may be left out if there is one active entity',
);

/** The declaration of the resource `sensors`. */
export async function sensorResource(context: Context): Promise<ResourceDefinition> {
  const found = (await context.services.resources()).find(({ name }) => name === 'sensors');
  if (!found) throw new Error('There is no resource "sensors" among the declarations.');
  return found;
}
