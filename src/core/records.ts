import { importFields, type ResourceDefinition } from './fields.ts';
import { ViolationList } from './imports.ts';
import type { ImportRow } from './store.ts';
import { type FieldJudge, judgeOf, type Refuse, trimmed } from './values.ts';

/** Judges the rows of one import by a declaration; what is wrong gathers in `violations`. */
export interface RecordJudge {
  readonly violations: ViolationList;
  /** Field names in the order in which rows have them: `id`, then as declared. */
  readonly fields: readonly string[];
  /**
   * A row of texts: `columns[i]` is the position in `cells` of field `i`, -1 where the file lacks it; `plain` where all of
   * it is known to be printable ASCII without line breaks. Undefined: refused.
   */
  judgeCells(cells: readonly string[], columns: Int32Array, line: number, plain: boolean): ImportRow | undefined;
  /** A row of JSON values keyed by field names; a value it lacks is null. Undefined: refused. */
  judgeObject(values: Readonly<Record<string, unknown>>, line: number): ImportRow | undefined;
}

/** Builds the judge of an import, its closures compiled once from the declaration. */
export function createRecordJudge(resource: ResourceDefinition): RecordJudge {
  const fields = Object.entries(importFields(resource));
  const names = fields.map(([name]) => name);
  const judges: readonly FieldJudge[] = fields.map(([name, field]) => judgeOf(name, field));
  const count = names.length;
  const required = fields.map(([, field]) => field.required === true);
  const isList = fields.map(([, field]) => field.kind === 'list');
  const violations = new ViolationList();
  let line = 0;
  let columnOf: Int32Array | undefined;
  const refuse: Refuse = (field, value, rule) => {
    const column = columnOf?.[names.indexOf(field.split(/[.[]/, 1)[0] ?? field)] ?? -1;
    violations.add({ line, column: column < 0 ? null : column + 1, field, value: asText(value), rule });
  };

  return {
    violations,
    fields: names,
    judgeCells(cells, columns, atLine, plain) {
      line = atLine;
      columnOf = columns;
      const before = violations.count;
      const values: unknown[] = new Array(count);
      for (let i = 0; i < count; i++) {
        const text = trimmed(cells[columns[i] as number] ?? ''); // -1 finds nothing
        values[i] = text === '' ? absent(i) : (judges[i] as FieldJudge).fromText(text, refuse, plain);
      }
      return violations.count === before ? rowOf(values, atLine) : undefined;
    },
    judgeObject(members, atLine) {
      line = atLine;
      columnOf = undefined;
      const before = violations.count;
      const values = names.map((name, i) => {
        const given = members[name] ?? '';
        const value = typeof given === 'string' ? trimmed(given) : given;
        return value === '' ? absent(i) : (judges[i] as FieldJudge).fromJson(value, refuse); // i is within
      });
      return violations.count === before ? rowOf(values, atLine) : undefined;
    },
  };

  /** What stands for a value that is not given. */
  function absent(i: number): unknown {
    if (required[i]) refuse(names[i] ?? '', null, 'required');
    return isList[i] ? [] : null;
  }

  function rowOf(values: unknown[], atLine: number): ImportRow | undefined {
    const id = values[0] as string; // the first field, required and judged to be a text
    if (id !== '.' && id !== '..') return { line: atLine, id, values };
    // An id stands in the path of its record, where these two mean something else.
    refuse('id', id, 'something other than . and ..');
    return undefined;
  }
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
