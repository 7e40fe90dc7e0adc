import type { ResourceDefinition } from '../core/fields/fields.ts';
import { counts, members, specials, usualCount } from './plant.ts';
import { createChance } from './random.ts';
import { type Draft, drawValue, numbered } from './values.ts';

/**
 * Draws the records of every resource of one made-up plant, with consistent references. Fields without a rule in `plant.ts`
 * are drawn from their declarations, so that a new resource has sample data at once.
 */
export function* demoRecords(
  resources: readonly ResourceDefinition[],
  plant: { seed: number; today: string },
): Generator<{ resource: ResourceDefinition; records: Record<string, unknown>[] }> {
  const chance = createChance(plant.seed);
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const idOf = (name: string): string | null => {
    const resource = byName.get(name);
    return resource ? idAt(resource, chance.between(0, countOf(resource) - 1)) : null;
  };
  for (const resource of resources) {
    const records = Array.from({ length: countOf(resource) }, (_, position) => {
      const record: Record<string, unknown> = { id: idAt(resource, position) };
      drawFields(resource, { record, position, chance, today: plant.today, idOf, members }, record);
      return record;
    });
    yield { resource, records };
  }
}

function countOf(resource: ResourceDefinition): number {
  return counts[resource.name] ?? usualCount;
}

function idAt(resource: ResourceDefinition, position: number): string {
  return numbered(resource.idExample, position);
}

/** Draws fields with a rule last and in the order of the rules, since their values depend on others. */
function drawFields(resource: ResourceDefinition, draft: Draft, record: Record<string, unknown>): void {
  const special = specials[resource.name] ?? {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (!Object.hasOwn(special, name)) record[name] = drawValue(name, field, draft);
  }
  for (const [name, draw] of Object.entries(special)) {
    if (Object.hasOwn(resource.fields, name)) record[name] = draw(draft) ?? null;
  }
}
