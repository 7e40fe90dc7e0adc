import { defineResource } from '../core/records/fields.ts';

/** People. */
export const people = defineResource({
  name: 'people',
  title: 'People',
  singular: 'person',
  summary: 'People of the plant as planning and training know them; no private data.',
  idExample: 'PE-1001',
  permissions: ['people.view'],
  fields: {
    personnel_number: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'Personnel number.',
      example: '00417',
    },
    name: { kind: 'text', maxLength: 200, required: true, doc: 'Name.', example: 'Jana Krüger' },
    job_title: { kind: 'text', maxLength: 120, doc: 'Position.', example: 'Heat treatment operator' },
    department: { kind: 'text', maxLength: 120, filter: true, doc: 'Department.', example: 'Heat treatment' },
    team: { kind: 'text', maxLength: 64, doc: 'Team or group.', example: 'HT-2' },
    shift: { kind: 'text', maxLength: 32, doc: 'Shift model.', example: '3-shift' },
    cost_center: { kind: 'text', maxLength: 32, doc: 'Cost centre.', example: '4420' },
    supervisor_id: {
      kind: 'text',
      maxLength: 64,
      references: 'people',
      doc: 'Person reported to.',
      example: 'PE-1002',
    },
    employment_type: {
      kind: 'enum',
      values: ['employee', 'temporary', 'contractor', 'apprentice'],
      doc: 'Kind of employment.',
      example: 'employee',
    },
    hired_date: { kind: 'date', doc: 'First day of employment.', example: '2021-03-01' },
    left_date: { kind: 'date', doc: 'Last day of employment.', example: '2026-12-31' },
    is_active: {
      kind: 'boolean',
      required: true,
      filter: true,
      doc: 'Whether the person may be assigned.',
      example: true,
    },
  },
});
