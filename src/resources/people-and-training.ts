import { defineResource } from '../core/fields/fields.ts';
import { amount, choice, date, flag, reference, text } from './kinds.ts';

export const people = defineResource({
  name: 'people',
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
    employment_type: choice(
      ['employee', 'temporary', 'contractor', 'apprentice'],
      'Kind of employment.',
      'employee',
    ),
    hired_date: date('First day of employment.', '2021-03-01'),
    left_date: date('Last day of employment.', '2026-12-31'),
    is_active: flag('Whether the person may be assigned.', { required: true, filter: true }),
  },
});

export const trainingRecords = defineResource({
  name: 'training-records',
  summary: 'Training and qualification of people: what was learned, when, and until when it holds.',
  idExample: 'TR-1001',
  permissions: ['training_records.view'],
  fields: {
    person_id: reference('people', 'Person who was trained.', 'PE-1001', {
      required: true,
      filter: true,
    }),
    course_code: text(64, 'Code of the course or qualification.', 'FORKLIFT', {
      required: true,
      filter: true,
    }),
    course_title: text(
      200,
      'Title of the course or qualification.',
      'Forklift licence, yearly instruction',
      {
        required: true,
      },
    ),
    category: choice(
      ['safety', 'quality', 'process', 'machine', 'management', 'other'],
      'Subject.',
      'safety',
    ),
    status: choice(
      ['planned', 'in_progress', 'completed', 'failed', 'expired'],
      'State.',
      'completed',
      {
        required: true,
        filter: true,
      },
    ),
    process_id: reference('processes', 'Process it qualifies for.', 'PR-1001'),
    asset_id: reference('assets', 'Asset it qualifies for.', 'A-1001'),
    trainer: text(200, 'Who taught it.', 'Training centre Lindental'),
    completed_date: date('Day on which it was passed.', '2026-03-12'),
    valid_until: date('Last day on which it holds.', '2027-03-11', { filter: true }),
    score_percent: amount('Result, 0 to 100.', 92, { max: 100, unit: '%' }),
    certificate_number: text(64, 'Number of the certificate.', 'FL-26-1184'),
    duration_h: amount('Length.', 4, { unit: 'h' }),
  },
});
