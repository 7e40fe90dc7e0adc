import { defineResource } from '../core/records/fields.ts';
import { instant, reference, text, unit } from './kinds.ts';

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
    inspection_type: {
      kind: 'enum',
      values: ['incoming', 'first_article', 'in_process', 'final', 'periodic'],
      required: true,
      filter: true,
      doc: 'When in the flow it takes place.',
      example: 'incoming',
    },
    status: {
      kind: 'enum',
      values: ['planned', 'in_progress', 'completed', 'cancelled'],
      required: true,
      doc: 'Where the inspection stands.',
      example: 'completed',
    },
    result: {
      kind: 'enum',
      values: ['accepted', 'accepted_with_concession', 'rejected'],
      filter: true,
      doc: 'Usage decision; null until there is one.',
      example: 'accepted',
    },
    part_id: reference('parts', 'Part that was inspected.', 'P-1001', { filter: true }),
    job_id: reference('jobs', 'Job it was inspected in.', 'J-1001', { filter: true }),
    inbound_document_id: reference('inbound-documents', 'Document the goods came in with.', 'IN-1001'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    lot_quantity: { kind: 'decimal', min: 0, doc: 'Quantity of the lot.', example: 240 },
    sample_size: { kind: 'integer', min: 0, doc: 'Number of units inspected.', example: 13 },
    defects_found: { kind: 'integer', min: 0, doc: 'Number of units with a defect.', example: 0 },
    unit: unit('Unit of the lot quantity, as a UCUM code.', '{piece}'),
    inspector_id: reference('people', 'Person who inspected.', 'PE-1001'),
    inspected_at: instant('When the inspection was done.', '2026-11-03T09:05:00.000000Z', { filter: true }),
    remarks: text(2000, 'Free text.', 'Sampling to ISO 2859-1, level II'),
  },
});
