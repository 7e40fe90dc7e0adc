import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, currencyOf, date, reference, text } from '../kinds.ts';

/** Projects. */
export const projects = defineResource({
  name: 'projects',
  title: 'Projects',
  singular: 'project',
  summary: 'Projects that orders and jobs belong to.',
  idExample: 'PRJ-1001',
  permissions: ['projects.view'],
  fields: {
    code: text(64, 'Code of the project as people know it.', 'WIND-26', { required: true, filter: true }),
    name: text(200, 'Name of the project.', 'Gearbox housings for offshore turbines', { required: true }),
    description: text(2000, 'Free text.', 'Series of 400 housings in four lots'),
    status: choice(['planned', 'active', 'on_hold', 'completed', 'cancelled'], 'Where the project stands.', 'active', {
      required: true,
      filter: true,
    }),
    customer_name: text(200, 'Name of the customer.', 'Nordwind Getriebe GmbH'),
    manager_id: reference('people', 'Person in charge.', 'PE-1001'),
    start_date: date('First day.', '2026-09-01'),
    end_date: date('Last day planned.', '2027-03-31'),
    required_date: date('Day by which the customer requires the result.', '2027-03-15', { filter: true }),
    budget: amount('Budget, in `currency`.', 480000),
    currency: currencyOf('budget'),
    progress_percent: amount('Share that is done, 0 to 100.', 35, { max: 100, unit: '%' }),
  },
});
