import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, count, instant, reference, text } from '../kinds.ts';

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
    incident_type: choice(
      ['near_miss', 'first_aid', 'medical_treatment', 'lost_time', 'property_damage', 'environmental', 'fire'],
      'Kind of incident.',
      'near_miss',
      { required: true, filter: true },
    ),
    severity: choice(['low', 'medium', 'high', 'critical'], 'Severity.', 'low', { required: true, filter: true }),
    status: choice(
      ['reported', 'under_investigation', 'action_required', 'closed'],
      'Where it stands.',
      'under_investigation',
      { required: true, filter: true },
    ),
    occurred_at: instant('When it happened.', '2026-11-12T04:48:00.000000Z', { required: true, filter: true }),
    reported_at: instant('When it was reported.', '2026-11-12T05:10:00.000000Z'),
    location: text(120, 'Where it happened.', 'Hall 2, heat treatment'),
    asset_id: reference('assets', 'Asset concerned.', 'A-1001'),
    reported_by: reference('people', 'Person who reported it.', 'PE-1001'),
    persons_injured: count('Number of persons hurt.', 0),
    lost_days: amount('Days of work lost.', 0, { unit: 'd' }),
    corrective_action: text(2000, 'What prevents it from now on.', 'Drip tray fitted, pump seal replaced'),
    closed_at: instant('When it was closed.', '2026-11-19T10:00:00.000000Z'),
  },
});
