import { defineResource } from '../core/records/fields.ts';
import { processCarriedOut, unitOfQuantities } from './kinds.ts';

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
    job_id: {
      kind: 'text',
      maxLength: 64,
      references: 'jobs',
      required: true,
      filter: true,
      doc: 'Job the operation belongs to.',
      example: 'J-1001',
    },
    sequence: { kind: 'integer', min: 0, required: true, doc: 'Position of the operation in the job.', example: 20 },
    name: {
      kind: 'text',
      maxLength: 200,
      required: true,
      doc: 'Name of the operation.',
      example: 'Turn outer diameter',
    },
    status: {
      kind: 'enum',
      values: ['scheduled', 'setup', 'running', 'interrupted', 'completed', 'cancelled'],
      required: true,
      filter: true,
      doc: 'Where the operation stands.',
      example: 'running',
    },
    process_id: processCarriedOut,
    asset_id: {
      kind: 'text',
      maxLength: 64,
      references: 'assets',
      filter: true,
      doc: 'Work unit (machine, oven, line) it runs on.',
      example: 'A-1001',
    },
    person_id: { kind: 'text', maxLength: 64, references: 'people', doc: 'Operator in charge.', example: 'PE-1001' },
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
    started_at: {
      kind: 'instant',
      filter: true,
      doc: 'When the operation began.',
      example: '2026-11-20T05:04:00.000000Z',
    },
    ended_at: { kind: 'instant', doc: 'When the operation ended.', example: '2026-11-20T13:12:30.000000Z' },
  },
});
