import { defineResource } from '../core/records/fields.ts';
import { currencyOf } from './kinds.ts';

/** Part records (specification 2.4). */
export const parts = defineResource({
  name: 'parts',
  title: 'Parts',
  singular: 'part',
  summary: 'Part master data: what the plant makes, buys and keeps.',
  idExample: 'P-1001',
  permissions: ['parts.view'],
  fields: {
    name: { kind: 'text', maxLength: 200, required: true, doc: 'Name of the part.', example: 'Bearing housing' },
    part_number: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'The stored part number; use it to match part numbers shown in the application.',
      example: 'BH-2040-A',
    },
    revision: { kind: 'text', maxLength: 32, doc: 'Drawing or engineering revision.', example: 'C' },
    description: { kind: 'text', maxLength: 2000, doc: 'Free text.', example: 'Cast housing, machined' },
    is_active: {
      kind: 'boolean',
      required: true,
      filter: true,
      doc: 'Whether the part may be used on new jobs and orders.',
      example: true,
    },
    category: { kind: 'text', maxLength: 64, filter: true, doc: 'Part family or commodity.', example: 'Castings' },
    unit: {
      kind: 'text',
      maxLength: 16,
      format: 'ucum',
      doc: 'Stock-keeping unit of measure, as a UCUM code.',
      example: '{piece}',
    },
    material: { kind: 'text', maxLength: 120, doc: 'Material designation.', example: 'EN-GJS-400-15' },
    weight_kg: { kind: 'decimal', min: 0, unit: 'kg', doc: 'Net weight of one unit.', example: 12.4 },
    standard_cost: { kind: 'decimal', min: 0, doc: 'Standard cost of one unit, in `currency`.', example: 48.5 },
    currency: currencyOf('cost'),
  },
});
