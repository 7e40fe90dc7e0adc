import { defineResource } from '../../core/records/fields.ts';
import { amount, currencyOf, flag, text, unit } from '../kinds.ts';

/** Part records (specification 2.4). */
export const parts = defineResource({
  name: 'parts',
  title: 'Parts',
  singular: 'part',
  summary: 'Part master data: what the plant makes, buys and keeps.',
  idExample: 'P-1001',
  permissions: ['parts.view'],
  fields: {
    name: text(200, 'Name of the part.', 'Bearing housing', { required: true }),
    part_number: text(
      64,
      'The stored part number; use it to match part numbers shown in the application.',
      'BH-2040-A',
      { required: true, filter: true },
    ),
    revision: text(32, 'Drawing or engineering revision.', 'C'),
    description: text(2000, 'Free text.', 'Cast housing, machined'),
    is_active: flag('Whether the part may be used on new jobs and orders.', { required: true, filter: true }),
    category: text(64, 'Part family or commodity.', 'Castings', { filter: true }),
    unit: unit('Stock-keeping unit of measure, as a UCUM code.', '{piece}'),
    material: text(120, 'Material designation.', 'EN-GJS-400-15'),
    weight_kg: amount('Net weight of one unit.', 12.4, { unit: 'kg' }),
    standard_cost: amount('Standard cost of one unit, in `currency`.', 48.5),
    currency: currencyOf('cost'),
  },
});
