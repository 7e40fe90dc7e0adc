import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, count, instant, reference, text, unit } from '../kinds.ts';

/** Quality inspections. */
export const qualityInspections = defineResource({
  name: 'quality-inspections',
  title: 'Quality inspections',
  singular: 'quality inspection',
  summary: 'Inspections of incoming goods, first articles, running production and finished lots, with their results.',
  idExample: 'QI-1001',
  permissions: ['quality_inspections.view'],
  fields: {
    inspection_number: text(64, 'Number of the inspection.', 'QI-2026-1187', { required: true }),
    inspection_type: choice(
      ['incoming', 'first_article', 'in_process', 'final', 'periodic'],
      'When in the flow it takes place.',
      'incoming',
      { required: true, filter: true },
    ),
    status: choice(['planned', 'in_progress', 'completed', 'cancelled'], 'Where the inspection stands.', 'completed', {
      required: true,
    }),
    result: choice(
      ['accepted', 'accepted_with_concession', 'rejected'],
      'Usage decision; null until there is one.',
      'accepted',
      { filter: true },
    ),
    part_id: reference('parts', 'Part that was inspected.', 'P-1001', { filter: true }),
    job_id: reference('jobs', 'Job it was inspected in.', 'J-1001', { filter: true }),
    inbound_document_id: reference('inbound-documents', 'Document the goods came in with.', 'IN-1001'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    lot_quantity: amount('Quantity of the lot.', 240),
    sample_size: count('Number of units inspected.', 13),
    defects_found: count('Number of units with a defect.', 0),
    unit: unit('Unit of the lot quantity, as a UCUM code.', '{piece}'),
    inspector_id: reference('people', 'Person who inspected.', 'PE-1001'),
    inspected_at: instant('When the inspection was done.', '2026-11-03T09:05:00.000000Z', { filter: true }),
    remarks: text(2000, 'Free text.', 'Sampling to ISO 2859-1, level II'),
  },
});
