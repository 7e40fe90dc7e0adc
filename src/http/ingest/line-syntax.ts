/** A line of InfluxDB's line protocol (docs.influxdata.com, "Line protocol"), its names and texts without escapes. */
export interface Line {
  measurement: string;
  tags: ReadonlyMap<string, string>;
  fields: ReadonlyMap<string, FieldValue>;
  /** The digits of the timestamp, whatever they are; undefined without one. */
  timestamp: string | undefined;
}

export type FieldValue = number | boolean | string;

/** The rule that a line breaks, and the column at which the fault begins, from 1. */
export interface LineFault {
  column: number;
  rule: string;
}

/** Parses a line without its line break. */
export function parseLine(lineText: string): Line | LineFault {
  const line = readLine(lineText);
  if (!('rule' in line)) return line;

  // Quotes of a tag hide nothing: its end is at the first blank or comma inside them.
  const [, start, tag] = /^([^ ]*?,)([^,= ]+="[^", ]*)[, ]/.exec(lineText) ?? [];
  if (start === undefined || tag === undefined) return line;
  const rule = `the tag ${quotedPart(tag)} ends inside quotes: write it without them, with \\ before blanks, commas and equals signs`;
  return { column: start.length + 1, rule };
}

function readLine(lineText: string): Line | LineFault {
  const measurementEnd = endOf(lineText, 0, ', ');
  const measurement = unescaped(lineText.slice(0, measurementEnd), /\\([, ])/g);
  if (measurement === '') return { column: 1, rule: 'the measurement is missing' };

  const tagsEnd = endOf(lineText, measurementEnd, ' ');
  const tags = readTags(lineText.slice(measurementEnd, tagsEnd), measurementEnd);
  if ('rule' in tags) return tags;

  const fieldsStart = afterSpaces(lineText, tagsEnd);
  const fieldsEnd = endOf(lineText, fieldsStart, ' ', true);
  const fields = readFields(lineText.slice(fieldsStart, fieldsEnd), fieldsStart);
  if ('rule' in fields) return fields;

  const timestamp = lineText.slice(afterSpaces(lineText, fieldsEnd));
  return { measurement, tags, fields, timestamp: timestamp === '' ? undefined : timestamp };
}

/** The tags of `,key=value,key=value`, which begin at an offset of the line; empty without one. */
function readTags(tagsText: string, tagsStart: number): ReadonlyMap<string, string> | LineFault {
  const tags = new Map<string, string>();
  for (const { part, from } of tagsText === '' ? [] : splitParts(tagsText.slice(1), false)) {
    const equalsIndex = endOf(part, 0, '=');
    const key = unescapedKey(part.slice(0, equalsIndex));
    const value = part.slice(equalsIndex + 1);
    if (key === '' || value === '' || tags.has(key)) {
      const rule = tags.has(key) ? 'repeats a key' : 'needs a key and a value';
      return { column: tagsStart + from + 2, rule: `the tag ${quotedPart(part)} ${rule}` };
    }
    tags.set(key, unescapedKey(value));
  }
  return tags;
}

/** The fields of `key=value,key=value`, which begin at an offset of the line. */
function readFields(
  fieldsText: string,
  fieldsStart: number,
): ReadonlyMap<string, FieldValue> | LineFault {
  if (fieldsText === '') return { column: fieldsStart + 1, rule: 'the line has no fields' };
  const fields = new Map<string, FieldValue>();
  for (const { part, from } of splitParts(fieldsText, true)) {
    const equalsIndex = endOf(part, 0, '=');
    const keyText = part.slice(0, equalsIndex);
    const key = unescapedKey(keyText);
    const value = fieldValue(part.slice(equalsIndex + 1));
    const isKey = key !== '' && endOf(keyText, 0, ' ') === keyText.length;
    if (!isKey || value === undefined || fields.has(key)) {
      const rule = fields.has(key)
        ? 'repeats a key'
        : 'needs a key and a number, a boolean or a text in quotes';
      return { column: fieldsStart + from + 1, rule: `the field ${quotedPart(part)} ${rule}` };
    }
    fields.set(key, value);
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

function fieldValue(valueText: string): FieldValue | undefined {
  if (/^"(?:[^"\\]|\\.)*"$/s.test(valueText))
    return unescaped(valueText.slice(1, -1), /\\(["\\])/g);
  const booleanValue = booleans.get(valueText);
  if (booleanValue !== undefined) return booleanValue;
  if (/^-?\d+i$|^\d+u$/.test(valueText)) return Number(valueText.slice(0, -1));
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(valueText)
    ? Number(valueText)
    : undefined;
}

interface Part {
  part: string;
  /** The offset at which it begins. */
  from: number;
}

/** The parts between commas that are neither escaped nor, if texts can be quoted, in quotes. */
function splitParts(partsText: string, hasQuotes: boolean): Part[] {
  const parts: Part[] = [];
  for (let partStart = 0; partStart <= partsText.length; ) {
    const partEnd = endOf(partsText, partStart, ',', hasQuotes);
    parts.push({ part: partsText.slice(partStart, partEnd), from: partStart });
    partStart = partEnd + 1;
  }
  return parts;
}

/** The place of the first of one or two characters that is neither escaped nor in quotes; the length if there is none. */
function endOf(text: string, searchStart: number, delimiters: string, hasQuotes = false): number {
  // Codes, since this sees every character of a body several times.
  const first = delimiters.charCodeAt(0);
  const last = delimiters.charCodeAt(delimiters.length - 1);
  let isQuoted = false;
  for (let index = searchStart; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 92) index++;
    else if (code === 34 && hasQuotes) isQuoted = !isQuoted;
    else if ((code === first || code === last) && !isQuoted) return index;
  }
  return text.length;
}

function afterSpaces(text: string, spacesStart: number): number {
  let index = spacesStart;
  while (text[index] === ' ') index++;
  return index;
}

/** In keys and tags commas, equals signs and spaces are escaped; any other backslash is one. */
function unescapedKey(text: string): string {
  return unescaped(text, /\\([,= ])/g);
}

function unescaped(text: string, escapes: RegExp): string {
  return text.includes('\\') ? text.replace(escapes, '$1') : text;
}
