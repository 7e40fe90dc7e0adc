import { describe, expect, it } from 'vitest';
import { clientPermissions } from '../../src/core/access/permissions.ts';
import {
  type Field,
  type Fields,
  filterableFields,
  importFields,
  type ResourceDefinition,
  textFormats,
} from '../../src/core/fields/fields.ts';
import { createRecordValidator } from '../../src/core/records/validator.ts';
import { canonicalInstant } from '../../src/core/time/instants.ts';
import { resources } from '../../src/resources/index.ts';
import { recordOf } from '../formats/batches.ts';

/** The table of the contract, section 5: which path any of which permissions opens. */
const contract: Record<string, string[]> = {
  jobs: ['jobs_orders.view'],
  orders: ['jobs_orders.view', 'production_orders.view'],
  'production-jobs': ['production_jobs.view'],
  'production-quality': ['production_quality.view'],
  'oee-events': ['oee_events.view'],
  'inbound-documents': ['inbound_documents.view'],
  'inventory-items': ['inventory_items.view'],
  'inventory-movements': ['inventory_movements.view'],
  'quality-inspections': ['quality_inspections.view'],
  'non-conformances': ['non_conformances.view'],
  'safety-incidents': ['safety_incidents.view'],
  projects: ['projects.view'],
  parts: ['parts.view'],
  assets: ['assets.view'],
  routings: ['routings.view'],
  processes: ['processes.view'],
  services: ['services.view'],
  people: ['people.view'],
  'training-records': ['training_records.view'],
  sensors: ['asset_sensors.view'],
};

const dateOnly = ['received_date', 'required_date', 'delivered_date', 'invoiced_date'];

/** All fields with their paths, those inside lists included. */
function everyField(fields: Fields, path = ''): [path: string, field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => [
    [`${path}${name}`, field],
    ...(field.kind === 'list' && field.of ? everyField(field.of, `${path}${name}[].`) : []),
  ]);
}

const names = resources.map(({ name }): string => name);

it('there is every path of the contract, with its permissions, and no other', () => {
  const declared = resources.map(({ name, permissions }) => [name, [...permissions]]);
  expect(Object.fromEntries(declared)).toEqual(contract);
  expect(names).toEqual(Object.keys(contract));
});

it('every permission to view opens something', () => {
  const opening = new Set<string>(resources.flatMap(({ permissions }) => [...permissions]));
  expect(clientPermissions.filter((permission) => !opening.has(permission))).toEqual([
    'asset_sensors.ingest',
  ]);
});

describe.each(resources.map((resource) => [resource.name, resource] as const))(
  '%s',
  (_name, resource) => {
    const fields = importFields(resource);
    const example = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, field.example]),
    );

    it('is named as paths and commands are', () => {
      expect(resource.name).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(resource.title.toLowerCase().replaceAll(' ', '-')).toBe(resource.name);
      expect(resource.summary).toMatch(/\.$/);
      expect(resource.idExample).toMatch(/^[A-Z]+-1001$/);
    });

    it('has fields named alike, each with one sentence and an example', () => {
      for (const [path, field] of everyField(resource.fields)) {
        expect(path.split('.').at(-1), path).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
        expect(field.doc, path).toMatch(/^[A-Z].*\.$/);
        expect(field.example, path).not.toBeUndefined();
        if (field.kind === 'date') expect(path).toMatch(/(_date|_from|_to|_until)$/);
        if (field.kind === 'instant') expect(path).toMatch(/_at$/);
        if (field.kind === 'boolean') expect(path).toMatch(/^(is|in)_/);
        if (/_(date|at)$/.test(path)) expect(['date', 'instant'], path).toContain(field.kind);
        if (dateOnly.includes(path)) expect(field.kind).toBe('date');
      }
      expect(Object.keys(resource.fields)).not.toContain('id');
      expect(Object.keys(resource.fields)).not.toContain('updated_at');
    });

    it('has examples that its own validator accepts unchanged', () => {
      const validator = createRecordValidator(resource);
      validator.validateObject(example, 1);
      expect(validator.violations.first).toEqual([]);
      expect(recordOf(validator.take(), validator.fields)).toEqual(
        Object.fromEntries(
          Object.entries(example).map(([name, value]) => [
            name,
            fields[name]?.kind === 'instant' ? canonicalInstant(String(value)) : value,
          ]),
        ),
      );
    });

    it('has filters only where an index can serve them', () => {
      for (const name of filterableFields(resource))
        expect(resource.fields[name as never]).not.toHaveProperty('of');
      expect(filterableFields(resource).length).toBeGreaterThanOrEqual(2);
      expect(
        everyField(resource.fields).filter(([path, field]) => path.includes('[]') && field.filter),
      ).toEqual([]);
    });

    it('refers to resources that there are', () => {
      for (const [path, field] of everyField(resource.fields)) {
        if (field.kind !== 'text') continue;
        if (field.references !== undefined) expect(names, path).toContain(field.references);
        if (field.format)
          expect(String(field.example)).toMatch(new RegExp(textFormats[field.format].pattern));
      }
    });
  },
);

describe('what the specification says of records', () => {
  const fieldsOf = (name: string) =>
    importFields(resources.find((resource) => resource.name === name) as ResourceDefinition);

  it('parts have id, name, is_active and part_number', () => {
    expect(Object.keys(fieldsOf('parts'))).toEqual(
      expect.arrayContaining(['id', 'name', 'is_active', 'part_number']),
    );
  });

  it('orders and inbound documents have services, in the detailed answer only, by row_id', () => {
    for (const name of ['orders', 'inbound-documents']) {
      const services = fieldsOf(name).services;
      expect(services).toMatchObject({ kind: 'list', detail: true, uniqueBy: 'row_id' });
      const members = services?.kind === 'list' ? Object.keys(services.of ?? {}) : [];
      expect(members).toEqual(
        expect.arrayContaining([
          'row_id',
          'service_code',
          'quantity',
          'unit',
          'unit_price',
          'currency',
          'assignments',
        ]),
      );
    }
  });

  it('routing_id stands on jobs and inbound documents, and processes know no routing', () => {
    const withRouting = names.filter((name) => 'routing_id' in fieldsOf(name));
    expect(withRouting).toEqual(['jobs', 'inbound-documents']);
    expect(JSON.stringify(Object.keys(fieldsOf('processes')))).not.toContain('routing');
    expect(Object.keys(fieldsOf('processes'))).toEqual(
      expect.arrayContaining([
        'in_catalogue',
        'revision',
        'supersedes_id',
        'approval_status',
        'availability',
      ]),
    );
  });

  it('jobs, orders and inbound documents have the four date-only fields, to be filtered by', () => {
    for (const name of ['jobs', 'orders', 'inbound-documents']) {
      for (const field of dateOnly)
        expect(fieldsOf(name)[field]).toMatchObject({ kind: 'date', filter: true });
    }
  });

  it('sensors are imported with exactly the fields of the contract', () => {
    expect(Object.keys(fieldsOf('sensors'))).toEqual([
      'id',
      'code',
      'name',
      'asset_id',
      'quantity',
      'unit',
      'is_active',
      'silent_after',
    ]);
    expect(fieldsOf('sensors').code).toMatchObject({ unique: true });
  });
});
