import { defineResource } from '../core/fields/fields.ts';
import {
  amount,
  choice,
  count,
  currencyOf,
  date,
  flag,
  instant,
  list,
  processCarriedOut,
  reference,
  text,
  unit,
} from './kinds.ts';

export const assets = defineResource({
  name: 'assets',
  summary: 'Assets: machines, ovens, lines, tools and their locations.',
  idExample: 'A-1001',
  permissions: ['assets.view'],
  fields: {
    code: text(64, 'Code of the asset as people know it.', 'OVEN-3', {
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the asset.', 'Chamber oven 3', { required: true }),
    asset_type: choice(
      [
        'area',
        'production_line',
        'work_unit',
        'machine',
        'oven',
        'tank',
        'vehicle',
        'tool',
        'measuring_equipment',
        'utility',
      ],
      'Kind of asset.',
      'oven',
      { required: true, filter: true },
    ),
    parent_id: reference('assets', 'Asset this one is part of.', 'A-1002', { filter: true }),
    status: choice(
      ['operational', 'standby', 'under_maintenance', 'out_of_service', 'retired'],
      'State of the asset.',
      'operational',
      { required: true, filter: true },
    ),
    manufacturer: text(120, 'Manufacturer.', 'Lindental Ofenbau'),
    model: text(120, 'Model or type.', 'KOE 120'),
    serial_number: text(64, 'Serial number.', 'A-2291-08'),
    location: text(120, 'Location.', 'Hall 2, heat treatment'),
    cost_center: text(32, 'Cost centre.', '4420'),
    criticality: choice(['low', 'medium', 'high'], 'How much depends on it.', 'high'),
    commissioned_date: date('Day on which it went into service.', '2019-04-08'),
    is_active: flag('Whether it may be planned.', { required: true }),
  },
});

export const parts = defineResource({
  name: 'parts',
  summary: 'Part master data: what the plant makes, buys and keeps.',
  idExample: 'P-1001',
  permissions: ['parts.view'],
  fields: {
    name: text(200, 'Name of the part.', 'Bearing housing', { required: true }),
    part_number: text(
      64,
      'The stored part number; use it to match part numbers shown in the application.',
      'BH-2040-A',
      { required: true, filter: true },
    ),
    revision: text(32, 'Drawing or engineering revision.', 'C'),
    description: text(2000, 'Free text.', 'Cast housing, machined'),
    is_active: flag('Whether the part may be used on new jobs and orders.', {
      required: true,
      filter: true,
    }),
    category: text(64, 'Part family or commodity.', 'Castings', { filter: true }),
    unit: unit('Stock-keeping unit of measure, as a UCUM code.', '{piece}'),
    material: text(120, 'Material designation.', 'EN-GJS-400-15'),
    weight_kg: amount('Net weight of one unit.', 12.4, { unit: 'kg' }),
    standard_cost: amount('Standard cost of one unit, in `currency`.', 48.5),
    currency: currencyOf('cost'),
  },
});

/** Processes: catalogue membership, revision lineage, availability apart from approval, no routing link (promise 5.10). */
export const processes = defineResource({
  name: 'processes',
  singular: 'process',
  summary:
    'Processes: the catalogue of what the plant can do, with revisions and availability. They carry no link to routings.',
  idExample: 'PR-1001',
  permissions: ['processes.view'],
  fields: {
    code: text(64, 'Code of the process; the same for all its revisions.', 'HT-ANNEAL', {
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the process.', 'Stress relief annealing', { required: true }),
    description: text(2000, 'Free text.', 'Below 650 Cel, furnace cooling'),
    category: text(64, 'Family of processes.', 'Heat treatment', { filter: true }),
    in_catalogue: flag('Whether it is a member of the catalogue that orders may draw on.', {
      required: true,
      filter: true,
    }),
    catalogue: text(64, 'Catalogue it is a member of.', 'Standard processes'),
    revision: text(32, 'Revision.', '4', { required: true }),
    supersedes_id: reference('processes', 'Revision this one replaces.', 'PR-1002'),
    superseded_by_id: reference('processes', 'Revision that replaces this one.', 'PR-1003'),
    root_id: reference('processes', 'First revision of the line.', 'PR-1004'),
    approval_status: choice(
      ['draft', 'in_review', 'approved', 'rejected', 'withdrawn'],
      'Whether the revision is approved.',
      'approved',
      { required: true },
    ),
    approved_at: instant('When it was approved.', '2026-02-17T12:30:00.000000Z'),
    availability: choice(
      ['available', 'limited', 'unavailable'],
      'Whether it can be used now; apart from approval.',
      'available',
      { required: true, filter: true },
    ),
    availability_reason: text(200, 'Why it is limited or unavailable.', 'Oven 3 under maintenance'),
    standard: text(120, 'Standard or customer specification it follows.', 'DIN 17022-5'),
  },
});

export const projects = defineResource({
  name: 'projects',
  summary: 'Projects that orders and jobs belong to.',
  idExample: 'PRJ-1001',
  permissions: ['projects.view'],
  fields: {
    code: text(64, 'Code of the project as people know it.', 'WIND-26', {
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the project.', 'Gearbox housings for offshore turbines', {
      required: true,
    }),
    description: text(2000, 'Free text.', 'Series of 400 housings in four lots'),
    status: choice(
      ['planned', 'active', 'on_hold', 'completed', 'cancelled'],
      'State of the project.',
      'active',
      {
        required: true,
        filter: true,
      },
    ),
    customer_name: text(200, 'Name of the customer.', 'Nordwind Getriebe GmbH'),
    manager_id: reference('people', 'Person in charge.', 'PE-1001'),
    start_date: date('First day.', '2026-09-01'),
    end_date: date('Last day planned.', '2027-03-31'),
    required_date: date('Day by which the customer requires the result.', '2027-03-15', {
      filter: true,
    }),
    budget: amount('Budget, in `currency`.', 480000),
    currency: currencyOf('budget'),
    progress_percent: amount('Share that is done, 0 to 100.', 35, { max: 100, unit: '%' }),
  },
});

const operation = {
  sequence: count('Position of the operation.', 20, { required: true }),
  name: text(200, 'Name of the operation.', 'Turn outer diameter', { required: true }),
  process_id: processCarriedOut,
  asset_id: reference('assets', 'Work unit it is planned on.', 'A-1001'),
  setup_time_s: amount('Planned unit setup time (PUST).', 1200, { unit: 's' }),
  run_time_per_item_s: amount('Planned run time per item (PRI).', 310, { unit: 's' }),
};

/** Routings; times by ISO 22400-2. */
export const routings = defineResource({
  name: 'routings',
  summary: 'Routings: the ordered operations by which a part is made or processed.',
  idExample: 'R-1001',
  permissions: ['routings.view'],
  fields: {
    code: text(64, 'Code of the routing as people know it.', 'RT-BH-2040', {
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the routing.', 'Bearing housing, cast and machined', {
      required: true,
    }),
    part_id: reference('parts', 'Part it makes; null if it serves several.', 'P-1001', {
      filter: true,
    }),
    revision: text(32, 'Revision.', 'B'),
    status: choice(
      ['draft', 'released', 'superseded', 'retired'],
      'State of the routing.',
      'released',
      {
        required: true,
        filter: true,
      },
    ),
    is_active: flag('Whether it may be assigned to jobs and inbound documents.', {
      required: true,
      filter: true,
    }),
    lot_size: amount('Lot size the times are planned for.', 120),
    unit: unit('Unit of the lot size, as a UCUM code.', '{piece}'),
    lead_time_days: amount('Planned time from the first operation to the last.', 6, { unit: 'd' }),
    effective_from: date('First day on which it may be used.', '2026-01-01'),
    effective_to: date('Last day on which it may be used.', '2027-12-31'),
    operations: list(operation, 'Operations in order.', { uniqueBy: 'sequence' }),
  },
});

export const services = defineResource({
  name: 'services',
  summary: 'The registry of services that orders and inbound documents price.',
  idExample: 'S-1001',
  permissions: ['services.view'],
  fields: {
    code: text(
      64,
      'Registry code; `service_code` in the services of orders and inbound documents.',
      'ANNEAL-S',
      {
        required: true,
        filter: true,
      },
    ),
    name: text(200, 'Name of the service.', 'Stress relief annealing, per kilogram', {
      required: true,
    }),
    description: text(2000, 'Free text.', 'Charged by net weight'),
    category: text(64, 'Family of services.', 'Heat treatment', { filter: true }),
    process_id: processCarriedOut,
    unit: unit('Unit the price is for, as a UCUM code.', 'kg'),
    unit_price: amount('List price of one unit, in `currency`.', 1.85),
    currency: currencyOf('price'),
    minimum_charge: amount('Least amount charged, in `currency`.', 90),
    lead_time_days: amount('Usual time until it is done.', 3, { unit: 'd' }),
    valid_from: date('First day the price holds.', '2026-01-01'),
    valid_to: date('Last day the price holds.', '2026-12-31'),
    is_active: flag('Whether it may be used on new orders and documents.', {
      required: true,
      filter: true,
    }),
  },
});
