import type { Field, Fields, ListField, NumberField } from '../core/fields/fields.ts';
import { addDays } from '../core/time/calendar.ts';
import type { Chance } from './random.ts';

/** The context of a draw: the record so far, its position, and the rest of the plant. */
export interface Draft {
  record: Readonly<Record<string, unknown>>;
  position: number;
  chance: Chance;
  today: string;
  /** The id of any record of a resource; null if there is no such resource. */
  idOf(resource: string): string | null;
  /** How fields of objects in lists are drawn if their declarations are not enough. */
  members: Readonly<Record<string, (draft: Draft) => unknown>>;
}

export function drawValue(name: string, field: Field, draft: Draft): unknown {
  const { chance } = draft;
  if (mayBeNull(field) && chance.percent(12)) return null;
  switch (field.kind) {
    case 'text':
      if (field.references !== undefined) return draft.idOf(field.references);
      return field.unique || /(^|_)(number|code)$/.test(name) ? numbered(field.example, draft.position) : field.example;
    case 'enum':
      return chance.pick(field.values);
    case 'boolean':
      return chance.percent(90);
    case 'date':
      return dayAround(draft, -60, 60);
    case 'instant':
      return instantOn(draft, dayAround(draft, -60, -1));
    case 'integer':
    case 'decimal':
      return drawNumber(field, chance);
    case 'list':
      return drawList(field, draft);
  }
}

/** Units and currencies are always present: a quantity or price without one would be odd. */
function mayBeNull(field: Field): boolean {
  return !field.required && field.kind !== 'list' && !(field.kind === 'text' && field.format);
}

/** Any day from `from` to `to` days after today; negative numbers lie before it. */
export function dayAround({ chance, today }: Draft, from: number, to: number): string {
  return addDays(today, chance.between(from, to));
}

/** Any instant of a day, to the microsecond. */
export function instantOn({ chance }: Draft, day: string): string {
  const two = (to: number) => String(chance.between(0, to)).padStart(2, '0');
  return `${day}T${two(23)}:${two(59)}:${two(59)}.${String(chance.between(0, 999_999)).padStart(6, '0')}Z`;
}

/** Adds the position to the last number of an example: `SO-2026-0831` → `SO-2026-0834`. */
export function numbered(example: unknown, position: number): string {
  const text = String(example);
  const last = /\d+(?=\D*$)/.exec(text);
  if (!last) return position === 0 ? text : `${text}-${position + 1}`;
  const next = String(Number(last[0]) + position).padStart(last[0].length, '0');
  return text.slice(0, last.index) + next + text.slice(last.index + last[0].length);
}

function drawNumber(field: NumberField, chance: Chance): number {
  const example = Number(field.example);
  const drawn = field.kind === 'integer' && field.max !== undefined ? field.max : Math.max(Math.abs(example) * 1.6, 1);
  const digits = field.kind === 'integer' ? 0 : (String(example).split('.')[1]?.length ?? 0);
  const value = Number((chance.fraction() * drawn).toFixed(digits));
  return Math.min(field.max ?? value, Math.max(field.min ?? value, value));
}

function drawList(field: ListField, draft: Draft): unknown[] {
  if (!field.of) return Array.isArray(field.example) ? field.example : [];
  const { of: fields, uniqueBy } = field;
  return Array.from({ length: draft.chance.between(1, 3) }, (_, position) =>
    drawItem(fields, uniqueBy, position, draft),
  );
}

function drawItem(fields: Fields, uniqueBy: string | undefined, position: number, draft: Draft): unknown {
  const item: Record<string, unknown> = {};
  const inside = { ...draft, record: item };
  for (const [name, field] of Object.entries(fields)) {
    const member = draft.members[name];
    if (name !== uniqueBy) item[name] = member ? member(inside) : drawValue(name, field, inside);
    else item[name] = field.kind === 'integer' ? (position + 1) * 10 : numbered(field.example, position);
  }
  return item;
}
