import { defineResource } from '../core/records/fields.ts';
import { instant, reference, text } from './kinds.ts';

/** Safety incidents. */
export const safetyIncidents = defineResource({
  name: 'safety-incidents',
  title: 'Safety incidents',
  singular: 'safety incident',
  summary: 'Safety incidents and near misses, without names of those hurt.',
  idExample: 'SI-1001',
  permissions: ['safety_incidents.view'],
  fields: {
    incident_number: text(64, 'Number of the incident.', 'SI-26-007', { required: true }),
    title: text(200, 'What happened, in a few words.', 'Oil on walkway at oven 3', { required: true }),
    description: text(4000, 'What happened, in full.', 'Leak at the quench pump; nobody hurt'),
    incident_type: {
      kind: 'enum',
      values: ['near_miss', 'first_aid', 'medical_treatment', 'lost_time', 'property_damage', 'environmental', 'fire'],
      required: true,
      filter: true,
      doc: 'Kind of incident.',
      example: 'near_miss',
    },
    severity: {
      kind: 'enum',
      values: ['low', 'medium', 'high', 'critical'],
      required: true,
      filter: true,
      doc: 'Severity.',
      example: 'low',
    },
    status: {
      kind: 'enum',
      values: ['reported', 'under_investigation', 'action_required', 'closed'],
      required: true,
      filter: true,
      doc: 'Where it stands.',
      example: 'under_investigation',
    },
    occurred_at: instant('When it happened.', '2026-11-12T04:48:00.000000Z', { required: true, filter: true }),
    reported_at: instant('When it was reported.', '2026-11-12T05:10:00.000000Z'),
    location: text(120, 'Where it happened.', 'Hall 2, heat treatment'),
    asset_id: reference('assets', 'Asset concerned.', 'A-1001'),
    reported_by: reference('people', 'Person who reported it.', 'PE-1001'),
    persons_injured: { kind: 'integer', min: 0, doc: 'Number of persons hurt.', example: 0 },
    lost_days: { kind: 'decimal', min: 0, unit: 'd', doc: 'Days of work lost.', example: 0 },
    corrective_action: text(2000, 'What prevents it from now on.', 'Drip tray fitted, pump seal replaced'),
    closed_at: instant('When it was closed.', '2026-11-19T10:00:00.000000Z'),
  },
});
