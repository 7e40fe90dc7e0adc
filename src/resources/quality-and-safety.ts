import { defineResource } from '../core/fields/fields.ts';
import { amount, choice, count, instant, reference, text, unit } from './kinds.ts';

export const nonConformances = defineResource({
  name: 'non-conformances',
  title: 'Non-conformances',
  singular: 'non-conformance',
  summary:
    'Non-conformances: what did not meet its requirements, what was decided and what was done.',
  idExample: 'NC-1001',
  permissions: ['non_conformances.view'],
  fields: {
    ncr_number: text(64, 'Number of the non-conformance report.', 'NCR-26-052', { required: true }),
    title: text(200, 'What is wrong, in a few words.', 'Bore diameter out of tolerance', {
      required: true,
    }),
    description: text(
      4000,
      'What is wrong, in full.',
      'Bore 40 H7 measured at 40.041 mm on 6 of 13 units',
    ),
    severity: choice(['minor', 'major', 'critical'], 'Severity.', 'major', {
      required: true,
      filter: true,
    }),
    status: choice(
      ['open', 'contained', 'under_review', 'in_correction', 'closed', 'cancelled'],
      'State.',
      'under_review',
      { required: true, filter: true },
    ),
    disposition: choice(
      ['use_as_is', 'rework', 'repair', 'scrap', 'return_to_supplier'],
      'What was decided; null until it is.',
      'rework',
    ),
    part_id: reference('parts', 'Part concerned.', 'P-1001', { filter: true }),
    job_id: reference('jobs', 'Job concerned.', 'J-1001', { filter: true }),
    quality_inspection_id: reference('quality-inspections', 'Inspection that found it.', 'QI-1001'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    quantity_affected: amount('Quantity concerned.', 6),
    unit: unit('Unit of the quantity, as a UCUM code.', '{piece}'),
    detected_at: instant('When it was detected.', '2026-11-03T09:20:00.000000Z', { filter: true }),
    detected_by: reference('people', 'Person who detected it.', 'PE-1001'),
    root_cause: text(2000, 'Cause that was found.', 'Tool wear beyond limit'),
    corrective_action: text(
      2000,
      'What prevents it from now on.',
      'Tool life reduced to 400 parts',
    ),
    closed_at: instant('When it was closed.', '2026-11-18T15:00:00.000000Z'),
  },
});

export const qualityInspections = defineResource({
  name: 'quality-inspections',
  summary:
    'Inspections of incoming goods, first articles, running production and finished lots, with their results.',
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
    status: choice(
      ['planned', 'in_progress', 'completed', 'cancelled'],
      'State of the inspection.',
      'completed',
      {
        required: true,
      },
    ),
    result: choice(
      ['accepted', 'accepted_with_concession', 'rejected'],
      'Usage decision; null until there is one.',
      'accepted',
      { filter: true },
    ),
    part_id: reference('parts', 'Part that was inspected.', 'P-1001', { filter: true }),
    job_id: reference('jobs', 'Job it was inspected in.', 'J-1001', { filter: true }),
    inbound_document_id: reference(
      'inbound-documents',
      'Document the goods came in with.',
      'IN-1001',
    ),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    lot_quantity: amount('Quantity of the lot.', 240),
    sample_size: count('Number of units inspected.', 13),
    defects_found: count('Number of units with a defect.', 0),
    unit: unit('Unit of the lot quantity, as a UCUM code.', '{piece}'),
    inspector_id: reference('people', 'Person who inspected.', 'PE-1001'),
    inspected_at: instant('When the inspection was done.', '2026-11-03T09:05:00.000000Z', {
      filter: true,
    }),
    remarks: text(2000, 'Free text.', 'Sampling to ISO 2859-1, level II'),
  },
});

export const safetyIncidents = defineResource({
  name: 'safety-incidents',
  summary: 'Safety incidents and near misses, without names of those hurt.',
  idExample: 'SI-1001',
  permissions: ['safety_incidents.view'],
  fields: {
    incident_number: text(64, 'Number of the incident.', 'SI-26-007', { required: true }),
    title: text(200, 'What happened, in a few words.', 'Oil on walkway at oven 3', {
      required: true,
    }),
    description: text(4000, 'What happened, in full.', 'Leak at the quench pump; nobody hurt'),
    incident_type: choice(
      [
        'near_miss',
        'first_aid',
        'medical_treatment',
        'lost_time',
        'property_damage',
        'environmental',
        'fire',
      ],
      'Kind of incident.',
      'near_miss',
      { required: true, filter: true },
    ),
    severity: choice(['low', 'medium', 'high', 'critical'], 'Severity.', 'low', {
      required: true,
      filter: true,
    }),
    status: choice(
      ['reported', 'under_investigation', 'action_required', 'closed'],
      'State.',
      'under_investigation',
      {
        required: true,
        filter: true,
      },
    ),
    occurred_at: instant('When it happened.', '2026-11-12T04:48:00.000000Z', {
      required: true,
      filter: true,
    }),
    reported_at: instant('When it was reported.', '2026-11-12T05:10:00.000000Z'),
    location: text(120, 'Where it happened.', 'Hall 2, heat treatment'),
    asset_id: reference('assets', 'Asset concerned.', 'A-1001'),
    reported_by: reference('people', 'Person who reported it.', 'PE-1001'),
    persons_injured: count('Number of persons hurt.', 0),
    lost_days: amount('Days of work lost.', 0, { unit: 'd' }),
    corrective_action: text(
      2000,
      'What prevents it from now on.',
      'Drip tray fitted, pump seal replaced',
    ),
    closed_at: instant('When it was closed.', '2026-11-19T10:00:00.000000Z'),
  },
});
