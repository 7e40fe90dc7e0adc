import { defineResource } from '../core/records/fields.ts';
import { currencyOf, processCarriedOut } from './kinds.ts';

/** The registry of services. */
export const services = defineResource({
  name: 'services',
  title: 'Services',
  singular: 'service',
  summary: 'The registry of services that orders and inbound documents price.',
  idExample: 'S-1001',
  permissions: ['services.view'],
  fields: {
    code: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'Registry code; `service_code` in the services of orders and inbound documents.',
      example: 'ANNEAL-S',
    },
    name: {
      kind: 'text',
      maxLength: 200,
      required: true,
      doc: 'Name of the service.',
      example: 'Stress relief annealing, per kilogram',
    },
    description: { kind: 'text', maxLength: 2000, doc: 'Free text.', example: 'Charged by net weight' },
    category: { kind: 'text', maxLength: 64, filter: true, doc: 'Family of services.', example: 'Heat treatment' },
    process_id: processCarriedOut,
    unit: { kind: 'text', maxLength: 16, format: 'ucum', doc: 'Unit the price is for, as a UCUM code.', example: 'kg' },
    unit_price: { kind: 'decimal', min: 0, doc: 'List price of one unit, in `currency`.', example: 1.85 },
    currency: currencyOf('price'),
    minimum_charge: { kind: 'decimal', min: 0, doc: 'Least amount charged, in `currency`.', example: 90 },
    lead_time_days: { kind: 'decimal', min: 0, unit: 'd', doc: 'Usual time until it is done.', example: 3 },
    valid_from: { kind: 'date', doc: 'First day the price holds.', example: '2026-01-01' },
    valid_to: { kind: 'date', doc: 'Last day the price holds.', example: '2026-12-31' },
    is_active: {
      kind: 'boolean',
      required: true,
      filter: true,
      doc: 'Whether it may be used on new orders and documents.',
      example: true,
    },
  },
});
