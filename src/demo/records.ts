import type {
  Field,
  Fields,
  ListField,
  NumberField,
  ResourceDefinition,
} from '../core/fields/fields.ts';
import { addDays } from '../core/time/calendar.ts';
import { type Chance, createChance } from './random.ts';
import * as words from './words.ts';

/** The context of a draw: the record so far, its position, and the rest of the plant. */
interface Draft {
  record: Readonly<Record<string, unknown>>;
  position: number;
  chance: Chance;
  today: string;
  /** The id of any record of a resource; null if there is no such resource. */
  idOf(resource: string): string | null;
}

type Draw = (draft: Draft) => unknown;

/** The item at a position of a list that repeats endlessly. */
const itemAt = <T>(items: readonly T[], position: number) => {
  return items[Math.floor(position) % items.length];
};

const cycle = (items: readonly string[]): Draw => {
  return ({ position }) => itemAt(items, position);
};

const numberIn = ({ record }: Draft, fieldName: string): number => {
  return Number(record[fieldName] ?? 0);
};

const shareOf = (fieldName: string, limit: number): Draw => {
  return (draft) => {
    const share = numberIn(draft, fieldName) * draft.chance.fraction() * limit;
    return Math.floor(share);
  };
};

const quotient = (dividendName: string, divisorName: string): Draw => {
  return (draft) => {
    const ratio = numberIn(draft, dividendName) / numberIn(draft, divisorName);
    return Number(ratio.toFixed(4));
  };
};

/** A day some days after another field's; null if that has none. */
const daysAfter = (fieldName: string, minDays: number, maxDays: number): Draw => {
  return ({ record, chance }) => {
    const day = record[fieldName];
    if (typeof day !== 'string') return null;
    return addDays(day, chance.between(minDays, maxDays));
  };
};

/** The same, but null for a day in the future. */
const daysAfterIfPast = (fieldName: string, minDays: number, maxDays: number): Draw => {
  return (draft) => {
    const day = daysAfter(fieldName, minDays, maxDays)(draft);
    const isPast = typeof day === 'string' && day <= draft.today;
    return isPast ? day : null;
  };
};

/** An instant up to eight hours after another field's; null in one of ten records. */
const instantAfter = (fieldName: string): Draw => {
  return ({ record, chance }) => {
    const start = record[fieldName];
    if (typeof start !== 'string' || chance.percent(10)) return null;

    const seconds = chance.between(300, 28_800);
    return new Date(Date.parse(start) + seconds * 1000).toISOString();
  };
};

/** A status that agrees with the days of delivery and invoice. */
const progressStatus = (
  openStatuses: readonly string[],
  delivered: string,
  invoiced: string,
): Draw => {
  return ({ record, chance }) => {
    if (record.invoiced_date) return invoiced;
    return record.delivered_date ? delivered : chance.pick(openStatuses);
  };
};

/** Processes come in three revisions each, one after the other: one of the same process, or null before the first and after the last. */
const revisionId = (indexOf: (revisionIndex: number) => number): Draw => {
  return ({ position }) => {
    const ownIndex = position % 3;
    const wantedIndex = indexOf(ownIndex);
    if (wantedIndex < 0 || wantedIndex > 2) return null;
    return numbered('PR-1001', position - ownIndex + wantedIndex);
  };
};

const amountOf = (services: unknown): number => {
  const pricedServices = services as Record<string, number | null>[]; // drawn before
  let amount = 0;
  for (const { quantity, unit_price: unitPrice } of pricedServices) {
    amount += Number(quantity) * Number(unitPrice);
  }
  return Math.round(amount * 100) / 100;
};

const machineOf = ({ position }: Draft) => {
  return itemAt(words.assetList, position / words.sensorKinds.length);
};
const sensorKindOf = ({ position }: Draft) => itemAt(words.sensorKinds, position);

/** Fields that are drawn more plausibly than by their declarations; some depend on others before them. */
const rules: Readonly<Record<string, Draw>> = {
  is_active: () => true,
  parent_id: () => null,
  left_date: () => null,
  root_id: revisionId(() => 0),
  supersedes_id: revisionId((revisionIndex) => revisionIndex - 1),
  superseded_by_id: revisionId((revisionIndex) => revisionIndex + 1),
  'processes.revision': ({ position }) => String((position % 3) + 1),
  'processes.code': ({ position }) => numbered('HT-ANNEAL', Math.floor(position / 3)),
  name: cycle(words.partNames),
  'production-jobs.name': cycle(words.treatments),
  'processes.name': ({ position }) => itemAt(words.treatments, position / 3),
  'services.name': cycle(words.treatments),
  'people.name': ({ position }) => {
    const firstName = itemAt(words.firstNames, position);
    const lastName = itemAt(words.lastNames, position * 1.7);
    return `${firstName} ${lastName}`;
  },
  department: cycle(words.departments),
  customer_name: cycle(words.customers),
  material: cycle(words.materials),
  received_date: (draft) => dayAround(draft, -45, 0),
  required_date: daysAfter('received_date', 7, 40),
  'projects.required_date': daysAfter('start_date', 90, 400),
  delivered_date: daysAfterIfPast('required_date', -3, 2),
  invoiced_date: daysAfterIfPast('delivered_date', 0, 5),
  'jobs.status': progressStatus(
    ['planned', 'released', 'in_progress', 'on_hold'],
    'completed',
    'closed',
  ),
  'orders.status': progressStatus(['confirmed', 'in_progress', 'on_hold'], 'delivered', 'invoiced'),
  'inbound-documents.status': progressStatus(
    ['expected', 'received', 'in_inspection'],
    'released',
    'completed',
  ),
  expiry_date: daysAfter('received_date', 365, 900),
  end_date: daysAfter('start_date', 90, 400),
  valid_to: daysAfter('valid_from', 300, 700),
  valid_until: daysAfter('completed_date', 300, 800),
  effective_to: daysAfter('effective_from', 500, 900),
  ended_at: instantAfter('started_at'),
  completed_at: instantAfter('started_at'),
  reported_at: instantAfter('occurred_at'),
  duration_s: ({ record: { started_at: startedAt, ended_at: endedAt } }) => {
    if (typeof endedAt !== 'string') return null;
    return (Date.parse(endedAt) - Date.parse(String(startedAt))) / 1000;
  },
  planned_busy_time_s: ({ record }) => record.duration_s,
  oee: (draft) => {
    const availability = numberIn(draft, 'availability');
    const performance = numberIn(draft, 'performance');
    const product = availability * performance * numberIn(draft, 'quality');
    return Number(product.toFixed(4));
  },
  quantity_completed: shareOf('quantity', 1),
  quantity_reserved: shareOf('quantity_on_hand', 0.6),
  produced_quantity: ({ chance }) => chance.between(20, 240),
  scrap_quantity: shareOf('produced_quantity', 0.05),
  rework_quantity: shareOf('produced_quantity', 0.04),
  good_quantity: (draft) => {
    const produced = numberIn(draft, 'produced_quantity');
    return produced - numberIn(draft, 'scrap_quantity') - numberIn(draft, 'rework_quantity');
  },
  quality_ratio: quotient('good_quantity', 'produced_quantity'),
  scrap_ratio: quotient('scrap_quantity', 'produced_quantity'),
  total_amount: ({ record: { services } }) => amountOf(services),
  'assets.code': ({ position }) => words.assetList[position]?.[0] ?? `TOOL-${position + 1}`,
  'assets.name': ({ position }) => words.assetList[position]?.[1] ?? `Fixture ${position + 1}`,
  'assets.asset_type': ({ position }) => words.assetList[position]?.[2] ?? 'tool',
  'sensors.code': (draft) => `${machineOf(draft)?.[0]}-${sensorKindOf(draft)?.[0]}`,
  'sensors.name': (draft) => `${machineOf(draft)?.[1]}, ${sensorKindOf(draft)?.[1]}`,
  'sensors.asset_id': ({ position }) => {
    const assetIndex = Math.floor(position / words.sensorKinds.length);
    return `A-${1001 + assetIndex}`;
  },
  'sensors.quantity': (draft) => sensorKindOf(draft)?.[2],
  'sensors.unit': (draft) => sensorKindOf(draft)?.[3],
  'sensors.silent_after': () => null,
};

/** The number of records of a resource: five sensors at each of the ten machines. */
const countOf = ({ name }: ResourceDefinition) => recordCounts[name] ?? 120;
const recordCounts: Readonly<Record<string, number>> = {
  sensors: 50,
  assets: 24,
  orders: 240,
  jobs: 320,
};

/** Draws the records of one plant, with consistent references; fields without a rule are drawn from their declarations. */
export function* demoRecords(
  resources: readonly ResourceDefinition[],
  { seed, today }: { seed: number; today: string },
): Generator<{ resource: ResourceDefinition; records: Record<string, unknown>[] }> {
  const chance = createChance(seed);
  const idOf = (name: string): string | null => {
    const resource = resources.find((candidate) => candidate.name === name);
    if (!resource) return null;
    const position = chance.between(0, countOf(resource) - 1);
    return numbered(resource.idExample, position);
  };

  for (const resource of resources) {
    const fieldRules = rulesFor(resource);
    const ruledFields = new Set(fieldRules.map(([name]) => name));
    const declaredFields = Object.entries(resource.fields).filter(
      ([name]) => !ruledFields.has(name),
    );

    const records = Array.from({ length: countOf(resource) }, (_, position) => {
      const record: Record<string, unknown> = { id: numbered(resource.idExample, position) };
      const draft = { record, position, chance, today, idOf };
      for (const [name, field] of declaredFields) {
        record[name] = drawValue(name, field, draft);
      }
      for (const [name, draw] of fieldRules) {
        record[name] = draw(draft) ?? null;
      }
      return record;
    });
    yield { resource, records };
  }
}

/** The rules for fields of a resource, in their order; a rule for this resource precedes one for all resources. */
function rulesFor({ name: resourceName, fields }: ResourceDefinition): [string, Draw][] {
  const fieldRules: [string, Draw][] = [];
  for (const [key, draw] of Object.entries(rules)) {
    const [fieldName = '', ruleResource] = key.split('.').reverse();
    const isReplaced = ruleResource === undefined && `${resourceName}.${fieldName}` in rules;
    const isOfResource = ruleResource === undefined || ruleResource === resourceName;
    const applies = fieldName in fields && isOfResource && !isReplaced;
    if (applies) fieldRules.push([fieldName, draw]);
  }
  return fieldRules;
}

function drawValue(name: string, field: Field, draft: Draft): unknown {
  const { chance } = draft;
  if (mayBeNull(field) && chance.percent(12)) return null;
  switch (field.kind) {
    case 'text':
      if (field.references !== undefined) {
        return draft.idOf(field.references);
      }
      return field.unique || /(^|_)(number|code)$/.test(name)
        ? numbered(field.example, draft.position)
        : field.example;
    case 'enum':
      return chance.pick(field.values);
    case 'boolean':
      return chance.percent(90);
    case 'date':
      return dayAround(draft, -60, 60);
    case 'instant':
      return instantOn(draft, dayAround(draft, -60, -1));
    case 'integer':
    case 'decimal':
      return drawNumber(field, chance);
    case 'list':
      return drawList(field, draft);
  }
}

/** Units and currencies are always present: a quantity or price without one would be odd. */
function mayBeNull(field: Field): boolean {
  if (field.required || field.kind === 'list') return false;
  return !(field.kind === 'text' && field.format);
}

/** Any day from `minDays` to `maxDays` days after today; negative numbers lie before it. */
function dayAround({ chance, today }: Draft, minDays: number, maxDays: number): string {
  return addDays(today, chance.between(minDays, maxDays));
}

function instantOn({ chance }: Draft, day: string): string {
  const twoDigits = (max: number) => String(chance.between(0, max)).padStart(2, '0');
  const time = `${twoDigits(23)}:${twoDigits(59)}:${twoDigits(59)}`;
  const micros = String(chance.between(0, 999_999)).padStart(6, '0');
  return `${day}T${time}.${micros}Z`;
}

/** Adds the position to the last number of an example: `SO-2026-0831` → `SO-2026-0834`. */
function numbered(example: unknown, position: number): string {
  const exampleText = String(example);
  const lastNumber = /\d+(?=\D*$)/.exec(exampleText);
  if (!lastNumber) {
    return position === 0 ? exampleText : `${exampleText}-${position + 1}`;
  }

  const [digits] = lastNumber;
  const nextDigits = String(Number(digits) + position).padStart(digits.length, '0');
  const textBefore = exampleText.slice(0, lastNumber.index);
  const textAfter = exampleText.slice(lastNumber.index + digits.length);
  return textBefore + nextDigits + textAfter;
}

function drawNumber(field: NumberField, chance: Chance): number {
  const example = Number(field.example);
  const isInteger = field.kind === 'integer';
  const declaredMax = isInteger ? field.max : undefined;
  const limit = declaredMax ?? Math.max(Math.abs(example) * 1.6, 1);
  const [, decimals = ''] = String(example).split('.');
  const drawnNumber = chance.fraction() * limit;

  const drawnValue = Number(drawnNumber.toFixed(isInteger ? 0 : decimals.length));
  const atLeastMin = Math.max(field.min ?? drawnValue, drawnValue);
  return Math.min(field.max ?? drawnValue, atLeastMin);
}

/** Up to three objects of a list, each with its own number; of texts the example. */
function drawList(listField: ListField, draft: Draft): unknown[] {
  const { of: fields, uniqueBy, example } = listField;
  if (!fields) {
    return Array.isArray(example) ? example : [];
  }

  const length = draft.chance.between(1, 3);
  return Array.from({ length }, (_, position) => drawItem(fields, uniqueBy, position, draft));
}

function drawItem(
  fields: Fields,
  uniqueBy: string | undefined,
  position: number,
  draft: Draft,
): unknown {
  const members = Object.entries(fields).map(([name, field]) => {
    if (name !== uniqueBy) {
      return [name, drawValue(name, field, draft)];
    }

    const isInteger = field.kind === 'integer';
    return [name, isInteger ? (position + 1) * 10 : numbered(field.example, position)];
  });
  const item = Object.fromEntries(members);
  // An assignment names the list of its record.
  return typeof item.resource === 'string' ? { ...item, id: draft.idOf(item.resource) } : item;
}
