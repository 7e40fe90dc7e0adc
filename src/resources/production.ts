import { defineResource } from '../core/fields/fields.ts';
import {
  amount,
  choice,
  count,
  instant,
  processCarriedOut,
  ratio,
  reference,
  text,
  unitOfQuantities,
} from './kinds.ts';

/** OEE events; availability, performance and quality by ISO 22400-2. */
export const oeeEvents = defineResource({
  name: 'oee-events',
  title: 'OEE events',
  singular: 'OEE event',
  summary:
    'OEE events: what a work unit did over a span of time, and the losses of availability, performance and quality in it.',
  idExample: 'OE-1001',
  permissions: ['oee_events.view'],
  fields: {
    asset_id: reference('assets', 'Work unit the event is of.', 'A-1001', {
      required: true,
      filter: true,
    }),
    production_job_id: reference('production-jobs', 'Operation that was running.', 'PJ-1001'),
    event_type: choice(
      [
        'production',
        'setup',
        'planned_downtime',
        'unplanned_downtime',
        'minor_stop',
        'reduced_speed',
        'idle',
        'no_demand',
      ],
      'What the work unit did.',
      'unplanned_downtime',
      { required: true, filter: true },
    ),
    loss_category: choice(
      ['none', 'availability', 'performance', 'quality'],
      'Factor of OEE that the span counts against.',
      'availability',
      { filter: true },
    ),
    reason_code: text(32, 'Code of the reason in the own catalogue of the plant.', 'E-113'),
    reason: text(200, 'Reason in words.', 'Hydraulic pressure low'),
    started_at: instant('When the span began.', '2026-11-20T08:15:00.123456Z', {
      required: true,
      filter: true,
    }),
    ended_at: instant('When the span ended; null while it lasts.', '2026-11-20T08:41:30.000000Z'),
    duration_s: amount('Length of the span.', 1589.877, { unit: 's' }),
    planned_busy_time_s: amount('Planned busy time (PBT) in the span.', 1589.877, { unit: 's' }),
    availability: ratio('Availability: actual production time by planned busy time, 0 to 1.', 0.91),
    performance: amount(
      'Performance (ISO 22400: effectiveness): planned by actual time per item; above 1 if faster than planned.',
      0.87,
    ),
    quality: ratio('Quality ratio: good by produced quantity, 0 to 1.', 0.985),
    oee: amount('OEE index: availability × performance × quality.', 0.78),
  },
});

/** Production jobs: operations at work units; quantities and times by ISO 22400-2. */
export const productionJobs = defineResource({
  name: 'production-jobs',
  summary:
    'Production jobs: the single operations of jobs at work units, with quantities and times named after ISO 22400.',
  idExample: 'PJ-1001',
  permissions: ['production_jobs.view'],
  fields: {
    job_id: reference('jobs', 'Job the operation belongs to.', 'J-1001', {
      required: true,
      filter: true,
    }),
    sequence: count('Position of the operation in the job.', 20, { required: true }),
    name: text(200, 'Name of the operation.', 'Turn outer diameter', { required: true }),
    status: choice(
      ['scheduled', 'setup', 'running', 'interrupted', 'completed', 'cancelled'],
      'State of the operation.',
      'running',
      { required: true, filter: true },
    ),
    process_id: processCarriedOut,
    asset_id: reference('assets', 'Work unit (machine, oven, line) it runs on.', 'A-1001', {
      filter: true,
    }),
    person_id: reference('people', 'Operator in charge.', 'PE-1001'),
    planned_order_quantity: amount('Planned order quantity (POQ).', 120),
    produced_quantity: amount('Produced quantity (PQ): good, scrap and rework together.', 88),
    good_quantity: amount('Good quantity (GQ): meets the requirements at first pass.', 84),
    scrap_quantity: amount('Scrap quantity (SQ).', 3),
    rework_quantity: amount('Rework quantity (RQ).', 1),
    unit: unitOfQuantities,
    setup_time_s: amount('Actual unit setup time (AUST).', 1260, { unit: 's' }),
    processing_time_s: amount('Actual unit processing time (AUPT).', 27340, { unit: 's' }),
    started_at: instant('When the operation began.', '2026-11-20T05:04:00.000000Z', {
      filter: true,
    }),
    ended_at: instant('When the operation ended.', '2026-11-20T13:12:30.000000Z'),
  },
});

/** Quality figures of production; names by ISO 22400-2. */
export const productionQuality = defineResource({
  name: 'production-quality',
  singular: 'production quality record',
  summary: 'Quality figures of production: quantities and ratios named after ISO 22400.',
  idExample: 'PQ-1001',
  permissions: ['production_quality.view'],
  fields: {
    production_job_id: reference('production-jobs', 'Operation the figures are of.', 'PJ-1001', {
      filter: true,
    }),
    job_id: reference('jobs', 'Job the figures are of.', 'J-1001', { filter: true }),
    part_id: reference('parts', 'Part that was produced.', 'P-1001', { filter: true }),
    asset_id: reference('assets', 'Work unit that produced it.', 'A-1001'),
    recorded_at: instant('When the figures were recorded.', '2026-11-20T13:15:00.000000Z', {
      required: true,
      filter: true,
    }),
    shift: text(32, 'Shift the figures are of.', 'early'),
    produced_quantity: amount('Produced quantity (PQ).', 88, { required: true }),
    good_quantity: amount('Good quantity (GQ).', 84, { required: true }),
    scrap_quantity: amount('Scrap quantity (SQ).', 3),
    rework_quantity: amount('Rework quantity (RQ).', 1),
    unit: unitOfQuantities,
    quality_ratio: ratio('Quality ratio: good quantity by produced quantity, 0 to 1.', 0.9545),
    first_pass_yield: ratio('First pass yield: good parts by inspected parts, 0 to 1.', 0.96),
    scrap_ratio: ratio('Scrap ratio: scrap quantity by produced quantity, 0 to 1.', 0.0341),
    defect_code: text(32, 'Code of the most frequent defect.', 'POR'),
    remarks: text(2000, 'Free text.', 'Porosity near the flange'),
  },
});
