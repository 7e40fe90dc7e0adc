import { defineResource } from '../core/records/fields.ts';
import { instant, reference, text, unit } from './kinds.ts';

/** Non-conformances. */
export const nonConformances = defineResource({
  name: 'non-conformances',
  title: 'Non-conformances',
  singular: 'non-conformance',
  summary: 'Non-conformances: what did not meet its requirements, what was decided and what was done.',
  idExample: 'NC-1001',
  permissions: ['non_conformances.view'],
  fields: {
    ncr_number: text(64, 'Number of the non-conformance report.', 'NCR-26-052', { required: true }),
    title: text(200, 'What is wrong, in a few words.', 'Bore diameter out of tolerance', { required: true }),
    description: text(4000, 'What is wrong, in full.', 'Bore 40 H7 measured at 40.041 mm on 6 of 13 units'),
    severity: {
      kind: 'enum',
      values: ['minor', 'major', 'critical'],
      required: true,
      filter: true,
      doc: 'Severity.',
      example: 'major',
    },
    status: {
      kind: 'enum',
      values: ['open', 'contained', 'under_review', 'in_correction', 'closed', 'cancelled'],
      required: true,
      filter: true,
      doc: 'Where it stands.',
      example: 'under_review',
    },
    disposition: {
      kind: 'enum',
      values: ['use_as_is', 'rework', 'repair', 'scrap', 'return_to_supplier'],
      doc: 'What was decided; null until it is.',
      example: 'rework',
    },
    part_id: reference('parts', 'Part concerned.', 'P-1001', { filter: true }),
    job_id: reference('jobs', 'Job concerned.', 'J-1001', { filter: true }),
    quality_inspection_id: reference('quality-inspections', 'Inspection that found it.', 'QI-1001'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    quantity_affected: { kind: 'decimal', min: 0, doc: 'Quantity concerned.', example: 6 },
    unit: unit('Unit of the quantity, as a UCUM code.', '{piece}'),
    detected_at: instant('When it was detected.', '2026-11-03T09:20:00.000000Z', { filter: true }),
    detected_by: reference('people', 'Person who detected it.', 'PE-1001'),
    root_cause: text(2000, 'Cause that was found.', 'Tool wear beyond limit'),
    corrective_action: text(2000, 'What prevents it from now on.', 'Tool life reduced to 400 parts'),
    closed_at: instant('When it was closed.', '2026-11-18T15:00:00.000000Z'),
  },
});
