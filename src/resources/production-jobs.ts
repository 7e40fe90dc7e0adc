import { defineResource } from '../core/records/fields.ts';
import { instant, processCarriedOut, reference, text, unitOfQuantities } from './kinds.ts';

/** Production jobs: operations at work units; quantities and times by ISO 22400-2. */
export const productionJobs = defineResource({
  name: 'production-jobs',
  title: 'Production jobs',
  singular: 'production job',
  summary:
    'Production jobs: the single operations of jobs at work units, with quantities and times named after ISO 22400.',
  idExample: 'PJ-1001',
  permissions: ['production_jobs.view'],
  fields: {
    job_id: reference('jobs', 'Job the operation belongs to.', 'J-1001', { required: true, filter: true }),
    sequence: { kind: 'integer', min: 0, required: true, doc: 'Position of the operation in the job.', example: 20 },
    name: text(200, 'Name of the operation.', 'Turn outer diameter', { required: true }),
    status: {
      kind: 'enum',
      values: ['scheduled', 'setup', 'running', 'interrupted', 'completed', 'cancelled'],
      required: true,
      filter: true,
      doc: 'Where the operation stands.',
      example: 'running',
    },
    process_id: processCarriedOut,
    asset_id: reference('assets', 'Work unit (machine, oven, line) it runs on.', 'A-1001', { filter: true }),
    person_id: reference('people', 'Operator in charge.', 'PE-1001'),
    planned_order_quantity: { kind: 'decimal', min: 0, doc: 'Planned order quantity (POQ).', example: 120 },
    produced_quantity: {
      kind: 'decimal',
      min: 0,
      doc: 'Produced quantity (PQ): good, scrap and rework together.',
      example: 88,
    },
    good_quantity: {
      kind: 'decimal',
      min: 0,
      doc: 'Good quantity (GQ): meets the requirements at first pass.',
      example: 84,
    },
    scrap_quantity: { kind: 'decimal', min: 0, doc: 'Scrap quantity (SQ).', example: 3 },
    rework_quantity: { kind: 'decimal', min: 0, doc: 'Rework quantity (RQ).', example: 1 },
    unit: unitOfQuantities,
    setup_time_s: { kind: 'decimal', min: 0, unit: 's', doc: 'Actual unit setup time (AUST).', example: 1260 },
    processing_time_s: {
      kind: 'decimal',
      min: 0,
      unit: 's',
      doc: 'Actual unit processing time (AUPT).',
      example: 27340,
    },
    started_at: instant('When the operation began.', '2026-11-20T05:04:00.000000Z', { filter: true }),
    ended_at: instant('When the operation ended.', '2026-11-20T13:12:30.000000Z'),
  },
});
