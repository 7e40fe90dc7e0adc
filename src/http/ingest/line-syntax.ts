/** One line of InfluxDB's line protocol (docs.influxdata.com, "Line protocol"), its names and texts without escapes. */
export interface Line {
  measurement: string;
  tags: ReadonlyMap<string, string>;
  fields: ReadonlyMap<string, LineField>;
  /** The digits of the timestamp, whatever they are; undefined without one. */
  timestamp: string | undefined;
}

export interface LineField {
  value: number | boolean | string;
}

/** What is wrong with a line, and the column at which that begins, from 1. */
export interface LineFault {
  column: number;
  rule: string;
}

/** Parses a line without its line break. */
export function parseLine(text: string): Line | LineFault {
  const measurementEnd = endOf(text, 0, ', ');
  const measurement = unescaped(text.slice(0, measurementEnd), /\\([, ])/g);
  if (measurement === '') return { column: 1, rule: 'the measurement is missing' };

  const tagsEnd = endOf(text, measurementEnd, ' ');
  const tags = readTags(text.slice(measurementEnd, tagsEnd), measurementEnd);
  if ('rule' in tags) return tags;

  const fieldsFrom = afterSpaces(text, tagsEnd);
  const fieldsEnd = endOf(text, fieldsFrom, ' ', true);
  const fields = readFields(text.slice(fieldsFrom, fieldsEnd), fieldsFrom);
  if ('rule' in fields) return fields;

  const timestamp = text.slice(afterSpaces(text, fieldsEnd));
  return { measurement, tags, fields, timestamp: timestamp === '' ? undefined : timestamp };
}

/** The tags of `,key=value,key=value`, which begin at an offset of the line; empty without one. */
function readTags(text: string, offset: number): ReadonlyMap<string, string> | LineFault {
  const tags = new Map<string, string>();
  for (const { part, from } of text === '' ? [] : split(text.slice(1), false)) {
    const equals = endOf(part, 0, '=');
    const [key, value] = [part.slice(0, equals), part.slice(equals + 1)];
    if (key === '' || value === '') {
      const rule = `the tag ${quotedPart(part)} needs a key and a value`;
      return { column: offset + from + 2, rule };
    }
    tags.set(unescapedKey(key), unescapedKey(value));
  }
  return tags;
}

/** The fields of `key=value,key=value`, which begin at an offset of the line. */
function readFields(text: string, offset: number): ReadonlyMap<string, LineField> | LineFault {
  if (text === '') return { column: offset + 1, rule: 'the line has no fields' };
  const fields = new Map<string, LineField>();
  for (const { part, from } of split(text, true)) {
    const equals = endOf(part, 0, '=');
    const value = fieldValue(part.slice(equals + 1));
    if (equals === 0 || value === undefined) {
      const rule = `the field ${quotedPart(part)} needs a key and a number, a boolean or a text in quotes`;
      return { column: offset + from + 1, rule };
    }
    fields.set(unescapedKey(part.slice(0, equals)), { value });
  }
  return fields;
}

function quotedPart(part: string): string {
  return JSON.stringify(part.slice(0, 40));
}

const booleans = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

function fieldValue(text: string): LineField['value'] | undefined {
  if (/^"(?:[^"\\]|\\.)*"$/s.test(text)) return unescaped(text.slice(1, -1), /\\(["\\])/g);
  const booleanValue = booleans.get(text);
  if (booleanValue !== undefined) return booleanValue;
  if (/^-?\d+i$|^\d+u$/.test(text)) return Number(text.slice(0, -1));
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

interface Part {
  part: string;
  /** The offset at which it begins. */
  from: number;
}

/** The parts between commas that are neither escaped nor, if texts can be quoted, in quotes. */
function split(text: string, hasQuotes: boolean): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from <= text.length; ) {
    const partEnd = endOf(text, from, ',', hasQuotes);
    parts.push({ part: text.slice(from, partEnd), from });
    from = partEnd + 1;
  }
  return parts;
}

/** The place of the first of some characters that is neither escaped nor in quotes; the length if there is none. */
function endOf(text: string, from: number, ends: string, hasQuotes = false): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\\') at++;
    else if (char === '"' && hasQuotes) isQuoted = !isQuoted;
    else if (!isQuoted && ends.includes(char)) return at;
  }
  return text.length;
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

/** In keys and tags commas, equals signs and spaces are escaped; any other backslash is one. */
function unescapedKey(text: string): string {
  return unescaped(text, /\\([,= ])/g);
}

function unescaped(text: string, escapes: RegExp): string {
  return text.includes('\\') ? text.replace(escapes, '$1') : text;
}
