import { addDays } from '../core/time/calendar.ts';
import { type Draft, dayAround, instantOn } from './values.ts';
import {
  assetList,
  categories,
  courses,
  customers,
  departments,
  faults,
  firstNames,
  incidents,
  lastNames,
  materials,
  partNames,
  sensorKinds,
  serviceCodes,
  treatments,
} from './words.ts';

/** Draws one field of one resource with more sense than its declaration alone can give. */
export type Special = (draft: Draft) => unknown;

/** How many records of a resource the plant has; the others have {@link usualCount}. */
export const counts: Readonly<Record<string, number>> = {
  jobs: 320,
  orders: 240,
  'production-jobs': 400,
  'oee-events': 400,
  'inventory-items': 260,
  'inventory-movements': 400,
  parts: 360,
  assets: 24,
  processes: 36,
  services: 24,
  projects: 18,
  sensors: 50,
};
export const usualCount = 60;

const machineOf = ({ position }: Draft) => assetList[Math.floor(position / sensorKinds.length) % assetList.length];
const kindOf = ({ position }: Draft) => sensorKinds[position % sensorKinds.length];

const from =
  (list: readonly string[]): Special =>
  ({ chance }) =>
    chance.pick(list);
const cycle =
  (list: readonly string[]): Special =>
  ({ position }) =>
    list[position % list.length];
const personName: Special = ({ position }) =>
  `${firstNames[position % firstNames.length]} ${lastNames[Math.floor(position * 1.7) % lastNames.length]}`;
const part = (draft: Draft, name: string): number => Number(draft.record[name] ?? 0);
const ratio =
  (from: number): Special =>
  ({ chance }) =>
    Number((from + chance.fraction() * (0.99 - from)).toFixed(4));

/** A day so many days after another field's, where that one has one. */
const after =
  (name: string, least: number, most: number): Special =>
  (draft) => {
    const day = draft.record[name];
    return typeof day === 'string' ? addDays(day.slice(0, 10), draft.chance.between(least, most)) : null;
  };
/** The same, null where the day is still to come. */
const passed =
  (name: string, least: number, most: number): Special =>
  (draft) => {
    const day = after(name, least, most)(draft);
    return typeof day === 'string' && day <= draft.today ? day : null;
  };
const instantAfter =
  (name: string): Special =>
  (draft) => {
    const start = draft.record[name];
    if (typeof start !== 'string' || draft.chance.percent(10)) return null;
    return new Date(Date.parse(start) + draft.chance.between(300, 28_800) * 1000).toISOString();
  };

const dates: Readonly<Record<string, Special>> = {
  received_date: (draft) => dayAround(draft, -45, 0),
  required_date: after('received_date', 7, 40),
  delivered_date: passed('required_date', -3, 2),
  invoiced_date: passed('delivered_date', 0, 5),
};

const serviceCode: Special = ({ position }) =>
  `${serviceCodes[position % serviceCodes.length]}-${'SML'[Math.floor(position / serviceCodes.length) % 3]}`;

/** Members of the objects in lists. */
export const members: Readonly<Record<string, Special>> = {
  service_code: (draft) => serviceCode({ ...draft, position: draft.chance.between(0, 23) }),
  description: from(treatments),
  id: (draft) => draft.idOf(String(draft.record.resource)),
  name: from(treatments),
};

/** By resource and field. */
export const specials: Readonly<Record<string, Readonly<Record<string, Special>>>> = {
  jobs: {
    ...dates,
    status: progress(['planned', 'released', 'in_progress', 'in_progress', 'on_hold'], 'completed', 'closed'),
    name: ({ chance }) => `${chance.pick(partNames)}, batch ${chance.between(1, 60)}`,
    unit: () => '{piece}',
    quantity_completed: (draft) => Math.round(part(draft, 'quantity') * draft.chance.fraction()),
    started_at: (draft) => instantOn(draft, String(draft.record.received_date)),
    completed_at: (draft) =>
      typeof draft.record.delivered_date === 'string' ? instantOn(draft, draft.record.delivered_date) : null,
  },
  orders: {
    ...dates,
    status: progress(['confirmed', 'in_progress', 'in_progress', 'on_hold'], 'delivered', 'invoiced'),
    total_amount: sumOfServices,
    customer_name: cycle(customers),
    customer_code: ({ position }) => `C-${20_400 + (position % customers.length)}`,
    customer_reference: ({ chance }) => `45${chance.between(10_000_000, 99_999_999)}`,
  },
  'production-jobs': {
    sequence: ({ position }) => ((position % 5) + 1) * 10,
    name: from(treatments),
    ...quantities(),
    started_at: (draft) => instantOn(draft, dayAround(draft, -30, -1)),
    ended_at: instantAfter('started_at'),
  },
  'production-quality': { ...quantities(), first_pass_yield: ratio(0.9), shift: cycle(['early', 'late', 'night']) },
  'oee-events': {
    started_at: (draft) => instantOn(draft, dayAround(draft, -14, -1)),
    ended_at: instantAfter('started_at'),
    duration_s: ({ record }) =>
      typeof record.ended_at === 'string'
        ? (Date.parse(record.ended_at) - Date.parse(String(record.started_at))) / 1000
        : null,
    planned_busy_time_s: ({ record }) => record.duration_s,
    availability: ratio(0.8),
    performance: ratio(0.75),
    quality: ratio(0.93),
    oee: (draft) =>
      Number((part(draft, 'availability') * part(draft, 'performance') * part(draft, 'quality')).toFixed(4)),
  },
  'inbound-documents': {
    ...dates,
    status: progress(['expected', 'received', 'in_inspection', 'released'], 'completed', 'completed'),
    total_amount: sumOfServices,
    partner_name: cycle(customers),
    partner_code: cycle(['S-1044', 'S-1051', 'S-1102']),
  },
  'inventory-items': {
    location: ({ chance }) =>
      `R${String(chance.between(1, 12)).padStart(2, '0')}-B${String(chance.between(1, 40)).padStart(2, '0')}`,
    quantity_reserved: (draft) => Math.floor(part(draft, 'quantity_on_hand') * draft.chance.fraction() * 0.6),
    received_date: (draft) => dayAround(draft, -120, -1),
    expiry_date: after('received_date', 365, 900),
  },
  projects: {
    name: cycle(partNames),
    customer_name: cycle(customers),
    start_date: (draft) => dayAround(draft, -200, -10),
    end_date: after('start_date', 90, 400),
  },
  parts: {
    name: cycle(partNames),
    part_number: ({ position }) => `${['BH', 'GS', 'PC', 'RG', 'FL', 'VB', 'CH'][position % 7]}-${2040 + position}-A`,
    category: cycle(categories),
    material: cycle(materials),
    unit: () => '{piece}',
  },
  assets: {
    code: ({ position }) => assetList[position]?.[0] ?? `TOOL-${position + 1}`,
    name: ({ position }) => assetList[position]?.[1] ?? `Fixture ${position + 1}`,
    asset_type: ({ position }) => assetList[position]?.[2] ?? 'tool',
    parent_id: () => null,
    commissioned_date: (draft) => dayAround(draft, -5000, -400),
    is_active: () => true,
  },
  processes: {
    code: ({ position }) => `PROC-${String(Math.floor(position / 3) + 1).padStart(2, '0')}`,
    name: ({ position }) => treatments[Math.floor(position / 3) % treatments.length],
    category: ({ position }) => (Math.floor(position / 3) % treatments.length < 4 ? 'Heat treatment' : 'Machining'),
    description: ({ record }) => `${record.name}, by the plant's own instruction`,
    // Three revisions each: the last one is in use.
    revision: ({ position }) => String((position % 3) + 1),
    supersedes_id: ({ position }) => (position % 3 > 0 ? `PR-${1000 + position}` : null),
    superseded_by_id: ({ position }) => (position % 3 < 2 ? `PR-${1002 + position}` : null),
    root_id: ({ position }) => `PR-${1001 + position - (position % 3)}`,
    in_catalogue: ({ position }) => position % 3 === 2,
    approval_status: ({ position }) => (position % 3 === 2 ? 'approved' : 'withdrawn'),
    availability: ({ position, chance }) =>
      position % 3 < 2 ? 'unavailable' : chance.percent(85) ? 'available' : 'limited',
    availability_reason: ({ record }) => (record.availability === 'limited' ? 'Oven 3 under maintenance' : null),
  },
  services: {
    code: serviceCode,
    valid_from: (draft) => dayAround(draft, -300, -30),
    valid_to: after('valid_from', 365, 700),
    name: ({ position }) => `${treatments[position % treatments.length]}, per kilogram`,
  },
  routings: { effective_from: (draft) => dayAround(draft, -400, -30), effective_to: after('effective_from', 500, 900) },
  'training-records': {
    course_title: cycle(courses),
    course_code: ({ position }) => `COURSE-${String((position % courses.length) + 1).padStart(2, '0')}`,
    completed_date: (draft) => dayAround(draft, -300, -1),
    valid_until: after('completed_date', 300, 800),
  },
  'quality-inspections': {
    sample_size: ({ chance }) => chance.pick([5, 8, 13, 20]),
    defects_found: ({ chance }) => (chance.percent(80) ? 0 : 1),
  },
  'non-conformances': { title: cycle(faults), description: ({ record }) => `${record.title}; found at inspection` },
  'safety-incidents': {
    title: cycle(incidents),
    description: ({ record }) => `${record.title}; area secured`,
    persons_injured: () => 0,
    lost_days: () => 0,
    reported_at: instantAfter('occurred_at'),
    closed_at: () => null,
  },
  people: {
    hired_date: (draft) => dayAround(draft, -4000, -100),
    name: personName,
    department: cycle(departments),
    left_date: () => null,
    is_active: () => true,
  },
  sensors: {
    code: (draft) => `${machineOf(draft)?.[0]}-${kindOf(draft)?.[0]}`,
    name: (draft) => `${machineOf(draft)?.[1]}, ${kindOf(draft)?.[1]}`,
    asset_id: ({ position }) => `A-${1001 + (Math.floor(position / sensorKinds.length) % assetList.length)}`,
    quantity: (draft) => kindOf(draft)?.[2],
    unit: (draft) => kindOf(draft)?.[3],
    is_active: () => true,
  },
};

/** Quantities that add up: good, scrap and rework are what was produced. */
function quantities(): Record<string, Special> {
  return {
    planned_order_quantity: ({ chance }) => chance.between(20, 240),
    produced_quantity: ({ chance }) => chance.between(20, 240),
    scrap_quantity: (draft) => Math.floor(part(draft, 'produced_quantity') * draft.chance.fraction() * 0.05),
    rework_quantity: (draft) => Math.floor(part(draft, 'produced_quantity') * draft.chance.fraction() * 0.04),
    good_quantity: (draft) =>
      part(draft, 'produced_quantity') - part(draft, 'scrap_quantity') - part(draft, 'rework_quantity'),
    unit: () => '{piece}',
    quality_ratio: (draft) => Number((part(draft, 'good_quantity') / part(draft, 'produced_quantity')).toFixed(4)),
    scrap_ratio: (draft) => Number((part(draft, 'scrap_quantity') / part(draft, 'produced_quantity')).toFixed(4)),
  };
}

/** A state that agrees with the days of delivery and invoice. */
function progress(open: readonly string[], delivered: string, invoiced: string): Special {
  return ({ record, chance }) => {
    if (record.invoiced_date) return invoiced;
    return record.delivered_date ? delivered : chance.pick(open);
  };
}

function sumOfServices({ record }: Draft): number {
  const services = Array.isArray(record.services) ? record.services : [];
  const sum = services.reduce((total, { quantity, unit_price }) => total + (quantity ?? 0) * (unit_price ?? 0), 0);
  return Number(sum.toFixed(2));
}
