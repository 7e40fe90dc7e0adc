import {
  after,
  cycle,
  type Draw,
  dates,
  from,
  instantAfter,
  kindOf,
  machineOf,
  part,
  personName,
  progress,
  quantities,
  ratio,
  serviceCode,
  sumOfServices,
} from './draws.ts';
import { dayAround, instantOn } from './values.ts';
import * as words from './words.ts';

/** The number of records of a resource, {@link usualCount} if it is not listed. */
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

export const members: Readonly<Record<string, Draw>> = {
  service_code: (draft) => serviceCode({ ...draft, position: draft.chance.between(0, 23) }),
  description: from(words.treatments),
  id: (draft) => draft.idOf(String(draft.record.resource)),
  name: from(words.treatments),
};

/** How fields of records are drawn, by resource and field; in this order, since some depend on others. */
export const specials: Readonly<Record<string, Readonly<Record<string, Draw>>>> = {
  jobs: {
    ...dates,
    status: progress(['planned', 'released', 'in_progress', 'in_progress', 'on_hold'], 'completed', 'closed'),
    name: ({ chance }) => `${chance.pick(words.partNames)}, batch ${chance.between(1, 60)}`,
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
    customer_name: cycle(words.customers),
    customer_code: ({ position }) => `C-${20_400 + (position % words.customers.length)}`,
    customer_reference: ({ chance }) => `45${chance.between(10_000_000, 99_999_999)}`,
  },
  'production-jobs': {
    sequence: ({ position }) => ((position % 5) + 1) * 10,
    name: from(words.treatments),
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
    partner_name: cycle(words.customers),
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
    name: cycle(words.partNames),
    customer_name: cycle(words.customers),
    start_date: (draft) => dayAround(draft, -200, -10),
    end_date: after('start_date', 90, 400),
  },
  parts: {
    name: cycle(words.partNames),
    part_number: ({ position }) => `${['BH', 'GS', 'PC', 'RG', 'FL', 'VB', 'CH'][position % 7]}-${2040 + position}-A`,
    category: cycle(words.categories),
    material: cycle(words.materials),
    unit: () => '{piece}',
  },
  assets: {
    code: ({ position }) => words.assetList[position]?.[0] ?? `TOOL-${position + 1}`,
    name: ({ position }) => words.assetList[position]?.[1] ?? `Fixture ${position + 1}`,
    asset_type: ({ position }) => words.assetList[position]?.[2] ?? 'tool',
    parent_id: () => null,
    commissioned_date: (draft) => dayAround(draft, -5000, -400),
    is_active: () => true,
  },
  processes: {
    code: ({ position }) => `PROC-${String(Math.floor(position / 3) + 1).padStart(2, '0')}`,
    name: ({ position }) => words.treatments[Math.floor(position / 3) % words.treatments.length],
    category: ({ position }) =>
      Math.floor(position / 3) % words.treatments.length < 4 ? 'Heat treatment' : 'Machining',
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
    name: ({ position }) => `${words.treatments[position % words.treatments.length]}, per kilogram`,
  },
  routings: { effective_from: (draft) => dayAround(draft, -400, -30), effective_to: after('effective_from', 500, 900) },
  'training-records': {
    course_title: cycle(words.courses),
    course_code: ({ position }) => `COURSE-${String((position % words.courses.length) + 1).padStart(2, '0')}`,
    completed_date: (draft) => dayAround(draft, -300, -1),
    valid_until: after('completed_date', 300, 800),
  },
  'quality-inspections': {
    sample_size: ({ chance }) => chance.pick([5, 8, 13, 20]),
    defects_found: ({ chance }) => (chance.percent(80) ? 0 : 1),
  },
  'non-conformances': {
    title: cycle(words.faults),
    description: ({ record }) => `${record.title}; found at inspection`,
  },
  'safety-incidents': {
    title: cycle(words.incidents),
    description: ({ record }) => `${record.title}; area secured`,
    persons_injured: () => 0,
    lost_days: () => 0,
    reported_at: instantAfter('occurred_at'),
    closed_at: () => null,
  },
  people: {
    hired_date: (draft) => dayAround(draft, -4000, -100),
    name: personName,
    department: cycle(words.departments),
    left_date: () => null,
    is_active: () => true,
  },
  sensors: {
    code: (draft) => `${machineOf(draft)?.[0]}-${kindOf(draft)?.[0]}`,
    name: (draft) => `${machineOf(draft)?.[1]}, ${kindOf(draft)?.[1]}`,
    asset_id: ({ position }) =>
      `A-${1001 + (Math.floor(position / words.sensorKinds.length) % words.assetList.length)}`,
    quantity: (draft) => kindOf(draft)?.[2],
    unit: (draft) => kindOf(draft)?.[3],
    is_active: () => true,
  },
};
