import { defineResource } from '../../core/records/fields.ts';
import { amount, currencyOf, date, flag, processCarriedOut, text, unit } from '../kinds.ts';

/** The registry of services. */
export const services = defineResource({
  name: 'services',
  title: 'Services',
  singular: 'service',
  summary: 'The registry of services that orders and inbound documents price.',
  idExample: 'S-1001',
  permissions: ['services.view'],
  fields: {
    code: text(64, 'Registry code; `service_code` in the services of orders and inbound documents.', 'ANNEAL-S', {
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the service.', 'Stress relief annealing, per kilogram', { required: true }),
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
    is_active: flag('Whether it may be used on new orders and documents.', { required: true, filter: true }),
  },
});
