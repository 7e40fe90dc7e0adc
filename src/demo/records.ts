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

const itemOf = <T>(items: readonly T[], at: number) => items[Math.floor(at) % items.length];
const cycle =
  (items: readonly string[]): Draw =>
  ({ position }) =>
    itemOf(items, position);
const part = ({ record }: Draft, name: string): number => Number(record[name] ?? 0);
const shareOf =
  (name: string, limit: number): Draw =>
  (draft) =>
    Math.floor(part(draft, name) * draft.chance.fraction() * limit);
const quotient =
  (name: string, whole: string): Draw =>
  (draft) =>
    Number((part(draft, name) / part(draft, whole)).toFixed(4));
/** A day some days after another field's; null if that has none. */
const after =
  (name: string, least: number, maxDays: number): Draw =>
  ({ record: { [name]: day }, chance }) =>
    typeof day === 'string' ? addDays(day, chance.between(least, maxDays)) : null;
/** The same, but null for a day in the future. */
const passed =
  (name: string, least: number, maxDays: number): Draw =>
  (draft) => {
    const day = after(name, least, maxDays)(draft);
    return typeof day === 'string' && day <= draft.today ? day : null;
  };
/** An instant up to eight hours after another field's; null in one of ten records. */
const instantAfter =
  (name: string): Draw =>
  ({ record: { [name]: start }, chance }) =>
    typeof start !== 'string' || chance.percent(10)
      ? null
      : new Date(Date.parse(start) + chance.between(300, 28_800) * 1000).toISOString();
/** A status that agrees with the days of delivery and invoice. */
const progress =
  (open: readonly string[], delivered: string, invoiced: string): Draw =>
  ({ record, chance }) =>
    record.invoiced_date ? invoiced : record.delivered_date ? delivered : chance.pick(open);

/** Processes come in three revisions each, one after the other: one of the same process, or null before the first and after the last. */
const revision =
  (placeOf: (place: number) => number): Draw =>
  ({ position }) => {
    const place = placeOf(position % 3);
    return place < 0 || place > 2 ? null : numbered('PR-1001', position - (position % 3) + place);
  };
const amountOf = (services: unknown): number => {
  const priced = services as Record<string, number | null>[]; // drawn before
  const sum = priced.reduce(
    (sum, { quantity, unit_price: price }) => sum + Number(quantity) * Number(price),
    0,
  );
  return Math.round(sum * 100) / 100;
};

const machineOf = ({ position }: Draft) =>
  itemOf(words.assetList, position / words.sensorKinds.length);
const kindOf = ({ position }: Draft) => itemOf(words.sensorKinds, position);

/** Fields that are drawn more plausibly than by their declarations; some depend on others before them. */
const rules: Readonly<Record<string, Draw>> = {
  is_active: () => true,
  parent_id: () => null,
  left_date: () => null,
  root_id: revision(() => 0),
  supersedes_id: revision((place) => place - 1),
  superseded_by_id: revision((place) => place + 1),
  'processes.revision': ({ position }) => String((position % 3) + 1),
  'processes.code': ({ position }) => numbered('HT-ANNEAL', Math.floor(position / 3)),
  name: cycle(words.partNames),
  'production-jobs.name': cycle(words.treatments),
  'processes.name': ({ position }) => itemOf(words.treatments, position / 3),
  'services.name': cycle(words.treatments),
  'people.name': ({ position }) =>
    `${itemOf(words.firstNames, position)} ${itemOf(words.lastNames, position * 1.7)}`,
  department: cycle(words.departments),
  customer_name: cycle(words.customers),
  material: cycle(words.materials),
  received_date: (draft) => dayAround(draft, -45, 0),
  required_date: after('received_date', 7, 40),
  'projects.required_date': after('start_date', 90, 400),
  delivered_date: passed('required_date', -3, 2),
  invoiced_date: passed('delivered_date', 0, 5),
  'jobs.status': progress(['planned', 'released', 'in_progress', 'on_hold'], 'completed', 'closed'),
  'orders.status': progress(['confirmed', 'in_progress', 'on_hold'], 'delivered', 'invoiced'),
  'inbound-documents.status': progress(
    ['expected', 'received', 'in_inspection'],
    'released',
    'completed',
  ),
  expiry_date: after('received_date', 365, 900),
  end_date: after('start_date', 90, 400),
  valid_to: after('valid_from', 300, 700),
  valid_until: after('completed_date', 300, 800),
  effective_to: after('effective_from', 500, 900),
  ended_at: instantAfter('started_at'),
  completed_at: instantAfter('started_at'),
  reported_at: instantAfter('occurred_at'),
  duration_s: ({ record: { started_at: start, ended_at: endedAt } }) =>
    typeof endedAt === 'string' ? (Date.parse(endedAt) - Date.parse(String(start))) / 1000 : null,
  planned_busy_time_s: ({ record }) => record.duration_s,
  oee: (draft) =>
    Number(
      (part(draft, 'availability') * part(draft, 'performance') * part(draft, 'quality')).toFixed(
        4,
      ),
    ),
  quantity_completed: shareOf('quantity', 1),
  quantity_reserved: shareOf('quantity_on_hand', 0.6),
  produced_quantity: ({ chance }) => chance.between(20, 240),
  scrap_quantity: shareOf('produced_quantity', 0.05),
  rework_quantity: shareOf('produced_quantity', 0.04),
  good_quantity: (draft) =>
    part(draft, 'produced_quantity') -
    part(draft, 'scrap_quantity') -
    part(draft, 'rework_quantity'),
  quality_ratio: quotient('good_quantity', 'produced_quantity'),
  scrap_ratio: quotient('scrap_quantity', 'produced_quantity'),
  total_amount: ({ record: { services } }) => amountOf(services),
  'assets.code': ({ position }) => words.assetList[position]?.[0] ?? `TOOL-${position + 1}`,
  'assets.name': ({ position }) => words.assetList[position]?.[1] ?? `Fixture ${position + 1}`,
  'assets.asset_type': ({ position }) => words.assetList[position]?.[2] ?? 'tool',
  'sensors.code': (draft) => `${machineOf(draft)?.[0]}-${kindOf(draft)?.[0]}`,
  'sensors.name': (draft) => `${machineOf(draft)?.[1]}, ${kindOf(draft)?.[1]}`,
  'sensors.asset_id': ({ position }) =>
    `A-${1001 + Math.floor(position / words.sensorKinds.length)}`,
  'sensors.quantity': (draft) => kindOf(draft)?.[2],
  'sensors.unit': (draft) => kindOf(draft)?.[3],
};

/** The number of records of a resource: five sensors at each of the ten machines. */
const countOf = ({ name }: ResourceDefinition) =>
  ({ sensors: 50, assets: 24, orders: 240, jobs: 320 })[name] ?? 120;

/** Draws the records of one plant, with consistent references; what has no rule is drawn from its declaration. */
export function* demoRecords(
  resources: readonly ResourceDefinition[],
  { seed, today }: { seed: number; today: string },
): Generator<{ resource: ResourceDefinition; records: Record<string, unknown>[] }> {
  const chance = createChance(seed);
  const idOf = (name: string): string | null => {
    const resource = resources.find((one) => one.name === name);
    return resource ? numbered(resource.idExample, chance.between(0, countOf(resource) - 1)) : null;
  };
  for (const resource of resources) {
    const ruled = Object.entries(rules).flatMap(([key, draw]) => {
      const [name = '', inResource] = key.split('.').reverse();
      const isNarrower = inResource === undefined && `${resource.name}.${name}` in rules;
      const applies =
        name in resource.fields && !isNarrower && (inResource ?? resource.name) === resource.name;
      return applies ? [[name, draw] as const] : [];
    });
    const names = new Set(ruled.map(([name]) => name));
    const declared = Object.entries(resource.fields).filter(([name]) => !names.has(name));
    const records = Array.from({ length: countOf(resource) }, (_, position) => {
      const record: Record<string, unknown> = { id: numbered(resource.idExample, position) };
      const draft = { record, position, chance, today, idOf };
      for (const [name, field] of declared) record[name] = drawValue(name, field, draft);
      for (const [name, draw] of ruled) record[name] = draw(draft) ?? null;
      return record;
    });
    yield { resource, records };
  }
}

function drawValue(name: string, field: Field, draft: Draft): unknown {
  const { chance } = draft;
  if (mayBeNull(field) && chance.percent(12)) return null;
  switch (field.kind) {
    case 'text':
      if (field.references !== undefined) return draft.idOf(field.references);
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
  return !field.required && field.kind !== 'list' && !(field.kind === 'text' && field.format);
}

/** Any day from `from` to `to` days after today; negative numbers lie before it. */
function dayAround({ chance, today }: Draft, from: number, to: number): string {
  return addDays(today, chance.between(from, to));
}

function instantOn({ chance }: Draft, day: string): string {
  const two = (to: number) => String(chance.between(0, to)).padStart(2, '0');
  return `${day}T${two(23)}:${two(59)}:${two(59)}.${String(chance.between(0, 999_999)).padStart(6, '0')}Z`;
}

/** Adds the position to the last number of an example: `SO-2026-0831` → `SO-2026-0834`. */
function numbered(example: unknown, position: number): string {
  const text = String(example);
  const last = /\d+(?=\D*$)/.exec(text);
  if (!last) return position === 0 ? text : `${text}-${position + 1}`;
  const next = String(Number(last[0]) + position).padStart(last[0].length, '0');
  return text.slice(0, last.index) + next + text.slice(last.index + last[0].length);
}

function drawNumber(field: NumberField, chance: Chance): number {
  const example = Number(field.example);
  const drawn =
    field.kind === 'integer' && field.max !== undefined
      ? field.max
      : Math.max(Math.abs(example) * 1.6, 1);
  const digits = field.kind === 'integer' ? 0 : (String(example).split('.')[1]?.length ?? 0);
  const value = Number((chance.fraction() * drawn).toFixed(digits));
  return Math.min(field.max ?? value, Math.max(field.min ?? value, value));
}

/** One to three objects of a list, each with its own number; of texts the example. */
function drawList({ of: fields, uniqueBy, example }: ListField, draft: Draft): unknown[] {
  if (!fields) return Array.isArray(example) ? example : [];
  return Array.from({ length: draft.chance.between(1, 3) }, (_, position) =>
    drawItem(fields, uniqueBy, position, draft),
  );
}

function drawItem(
  fields: Fields,
  uniqueBy: string | undefined,
  position: number,
  draft: Draft,
): unknown {
  const drawn = Object.entries(fields).map(([name, field]) => {
    if (name !== uniqueBy) return [name, drawValue(name, field, draft)];
    return [
      name,
      field.kind === 'integer' ? (position + 1) * 10 : numbered(field.example, position),
    ];
  });
  return Object.fromEntries(drawn);
}
