import { defineResource } from '../../core/records/fields.ts';
import { choice, date, flag, reference, text } from '../kinds.ts';

/** People. */
export const people = defineResource({
  name: 'people',
  title: 'People',
  singular: 'person',
  summary: 'People of the plant as planning and training know them; no private data.',
  idExample: 'PE-1001',
  permissions: ['people.view'],
  fields: {
    personnel_number: text(64, 'Personnel number.', '00417', { required: true, filter: true }),
    name: text(200, 'Name.', 'Jana Krüger', { required: true }),
    job_title: text(120, 'Position.', 'Heat treatment operator'),
    department: text(120, 'Department.', 'Heat treatment', { filter: true }),
    team: text(64, 'Team or group.', 'HT-2'),
    shift: text(32, 'Shift model.', '3-shift'),
    cost_center: text(32, 'Cost centre.', '4420'),
    supervisor_id: reference('people', 'Person reported to.', 'PE-1002'),
    employment_type: choice(['employee', 'temporary', 'contractor', 'apprentice'], 'Kind of employment.', 'employee'),
    hired_date: date('First day of employment.', '2021-03-01'),
    left_date: date('Last day of employment.', '2026-12-31'),
    is_active: flag('Whether the person may be assigned.', { required: true, filter: true }),
  },
});
