import { describe, expect, it } from 'vitest';
import { defineResource, type Fields } from '../../src/core/fields/fields.ts';
import { createRecordValidator } from '../../src/core/records/validator.ts';
import { demoRecords } from '../../src/demo/records.ts';
import { resources } from '../../src/resources/index.ts';

const plant = { seed: 20_260, today: '2026-11-21' };
const made = new Map(
  [...demoRecords(resources, plant)].map(({ resource, records }) => [resource.name, records]),
);
const recordsOf = (name: string) => made.get(name) ?? [];

interface Assignment {
  resource: string;
  id: string;
}

describe('the made-up plant', () => {
  it('is the same for the same seed and day, and another for another', () => {
    const again = new Map(
      [...demoRecords(resources, plant)].map(({ resource, records }) => [resource.name, records]),
    );
    expect(again).toEqual(made);
    const [other] = demoRecords(resources, { ...plant, seed: 1 });
    expect(other?.records).not.toEqual(recordsOf('jobs'));
  });

  it.each(resources.map((resource) => [resource.name, resource] as const))(
    '%s are as declared',
    (name, resource) => {
      const validator = createRecordValidator(resource);
      recordsOf(name).forEach((record, position) => {
        validator.validateObject(record, position + 1);
      });
      expect(validator.violations.first).toEqual([]);
      const ids = recordsOf(name).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBeGreaterThanOrEqual(18);
    },
  );

  it('has references that lead somewhere', () => {
    let count = 0;
    const ids = new Map(
      [...made].map(([name, records]) => [name, new Set(records.map(({ id }) => id))]),
    );
    for (const resource of resources) {
      const fields: Fields = resource.fields;
      for (const [name, field] of Object.entries(fields)) {
        if (field.kind !== 'text' || field.references === undefined) continue;
        const known = ids.get(field.references);
        const lost = recordsOf(resource.name).filter(
          (record) => record[name] !== null && !known?.has(record[name]),
        );
        expect(lost, `${resource.name}.${name}`).toEqual([]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(10);
  });

  it('has people and assets that are assigned to services', () => {
    const assignments = ['orders', 'inbound-documents']
      .flatMap((name) => recordsOf(name) as { services: { assignments: Assignment[] }[] }[])
      .flatMap(({ services }) => services)
      .flatMap(({ assignments }) => assignments);
    const lost = assignments.filter(({ resource, id }) => {
      return !recordsOf(resource).some((record) => record.id === id);
    });

    expect(assignments.length).toBeGreaterThan(100);
    expect(lost).toEqual([]);
  });

  it('has fifty sensors, each with its own code, among them the one that the quick start writes to', () => {
    const codes = recordsOf('sensors').map(({ code }) => code);
    expect(new Set(codes).size).toBe(50);
    expect(codes).toContain('OVEN-3-T1');
  });

  it('has days in order, and quantities that add up', () => {
    const invoiced = recordsOf('orders').filter((order) => order.invoiced_date);
    expect(Math.min(invoiced.length, recordsOf('production-quality').length)).toBeGreaterThan(0);
    for (const order of recordsOf('orders')) {
      expect(String(order.required_date) >= String(order.received_date)).toBe(true);
      if (order.invoiced_date)
        expect(String(order.invoiced_date) >= String(order.delivered_date)).toBe(true);
    }
    for (const record of recordsOf('production-quality')) {
      const { good_quantity, scrap_quantity, rework_quantity, produced_quantity } = record;
      expect(Number(good_quantity) + Number(scrap_quantity) + Number(rework_quantity)).toBe(
        produced_quantity,
      );
    }
  });

  it('has orders whose amount is that of their services, and processes in revisions that know each other', () => {
    for (const { total_amount, services } of recordsOf('orders')) {
      const rows = services as { quantity: number; unit_price: number | null }[];
      const sum = rows.reduce(
        (all, { quantity, unit_price }) => all + quantity * (unit_price ?? 0),
        0,
      );
      expect(Math.abs(Number(total_amount) - sum)).toBeLessThan(0.006);
    }
    const processes = new Map(recordsOf('processes').map((process) => [process.id, process]));
    expect(
      recordsOf('processes').filter(({ supersedes_id }) => supersedes_id !== null),
    ).toHaveLength(80);
    for (const { id, code, name, revision, root_id, supersedes_id } of processes.values()) {
      expect(processes.get(root_id)).toMatchObject({
        code,
        name,
        revision: '1',
        supersedes_id: null,
      });
      if (supersedes_id === null) continue;
      const before = {
        code,
        name,
        root_id,
        superseded_by_id: id,
        revision: String(Number(revision) - 1),
      };
      expect(processes.get(supersedes_id)).toMatchObject(before);
    }
  });

  it('needs no line for a new resource', () => {
    const suppliers = defineResource({
      name: 'suppliers',
      title: 'Suppliers',
      singular: 'supplier',
      summary: 'Who delivers.',
      idExample: 'SUP-1001',
      permissions: ['parts.view'],
      fields: {
        code: {
          kind: 'text',
          maxLength: 16,
          required: true,
          unique: true,
          doc: 'Code.',
          example: 'S-07',
        },
        part_id: {
          kind: 'text',
          maxLength: 64,
          references: 'parts',
          required: true,
          doc: 'Part.',
          example: 'P-1001',
        },
        rating: { kind: 'integer', min: 1, max: 5, required: true, doc: 'Rating.', example: 4 },
        tags: { kind: 'list', doc: 'Tags.', example: ['iron'] },
      },
    });
    const records = [...demoRecords([...resources, suppliers], plant)].at(-1)?.records ?? [];
    const validator = createRecordValidator(suppliers);
    records.forEach((record, position) => {
      validator.validateObject(record, position + 1);
    });
    expect(validator.violations.first).toEqual([]);
    expect(records.length).toBeGreaterThan(10);
    expect(new Set(records.map(({ code }) => code)).size).toBe(records.length);
  });
});
