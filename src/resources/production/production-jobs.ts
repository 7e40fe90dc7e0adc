import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, count, instant, processCarriedOut, reference, text, unitOfQuantities } from '../kinds.ts';

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
    sequence: count('Position of the operation in the job.', 20, { required: true }),
    name: text(200, 'Name of the operation.', 'Turn outer diameter', { required: true }),
    status: choice(
      ['scheduled', 'setup', 'running', 'interrupted', 'completed', 'cancelled'],
      'Where the operation stands.',
      'running',
      { required: true, filter: true },
    ),
    process_id: processCarriedOut,
    asset_id: reference('assets', 'Work unit (machine, oven, line) it runs on.', 'A-1001', { filter: true }),
    person_id: reference('people', 'Operator in charge.', 'PE-1001'),
    planned_order_quantity: amount('Planned order quantity (POQ).', 120),
    produced_quantity: amount('Produced quantity (PQ): good, scrap and rework together.', 88),
    good_quantity: amount('Good quantity (GQ): meets the requirements at first pass.', 84),
    scrap_quantity: amount('Scrap quantity (SQ).', 3),
    rework_quantity: amount('Rework quantity (RQ).', 1),
    unit: unitOfQuantities,
    setup_time_s: amount('Actual unit setup time (AUST).', 1260, { unit: 's' }),
    processing_time_s: amount('Actual unit processing time (AUPT).', 27340, { unit: 's' }),
    started_at: instant('When the operation began.', '2026-11-20T05:04:00.000000Z', { filter: true }),
    ended_at: instant('When the operation ended.', '2026-11-20T13:12:30.000000Z'),
  },
});
