import { defineResource } from '../core/records/fields.ts';
import { currencyOf } from './kinds.ts';

/** Projects. */
export const projects = defineResource({
  name: 'projects',
  title: 'Projects',
  singular: 'project',
  summary: 'Projects that orders and jobs belong to.',
  idExample: 'PRJ-1001',
  permissions: ['projects.view'],
  fields: {
    code: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'Code of the project as people know it.',
      example: 'WIND-26',
    },
    name: {
      kind: 'text',
      maxLength: 200,
      required: true,
      doc: 'Name of the project.',
      example: 'Gearbox housings for offshore turbines',
    },
    description: { kind: 'text', maxLength: 2000, doc: 'Free text.', example: 'Series of 400 housings in four lots' },
    status: {
      kind: 'enum',
      values: ['planned', 'active', 'on_hold', 'completed', 'cancelled'],
      required: true,
      filter: true,
      doc: 'Where the project stands.',
      example: 'active',
    },
    customer_name: { kind: 'text', maxLength: 200, doc: 'Name of the customer.', example: 'Nordwind Getriebe GmbH' },
    manager_id: { kind: 'text', maxLength: 64, references: 'people', doc: 'Person in charge.', example: 'PE-1001' },
    start_date: { kind: 'date', doc: 'First day.', example: '2026-09-01' },
    end_date: { kind: 'date', doc: 'Last day planned.', example: '2027-03-31' },
    required_date: {
      kind: 'date',
      filter: true,
      doc: 'Day by which the customer requires the result.',
      example: '2027-03-15',
    },
    budget: { kind: 'decimal', min: 0, doc: 'Budget, in `currency`.', example: 480000 },
    currency: currencyOf('budget'),
    progress_percent: {
      kind: 'decimal',
      min: 0,
      max: 100,
      unit: '%',
      doc: 'Share that is done, 0 to 100.',
      example: 35,
    },
  },
});
