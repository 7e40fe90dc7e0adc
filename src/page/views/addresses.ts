import { namedRanges, type ShownSpan, toTimeRange, usualSpan } from '../plots/ranges.ts';

/** Addresses of views stand behind `#`, which no request contains; a key is in none of them. */

export interface ViewAddress {
  /** The parts of the path, decoded: `sensors`, `SE-1`. */
  parts: readonly string[];
  parameters: URLSearchParams;
}

export function parseViewAddress(hash: string): ViewAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  return { parts: parts.map(decodePart), parameters: new URLSearchParams(query) };
}

export function addressOfList(listName: string, parameters?: URLSearchParams): string {
  return withParameters(`#/records/${encodeURIComponent(listName)}`, parameters);
}

/** The address of a record; sensors have a view of their own. */
export function addressOfRecord(listName: string, id: string): string {
  if (listName === 'sensors') return `#/sensors/${encodeURIComponent(id)}`;
  return `${addressOfList(listName)}/${encodeURIComponent(id)}`;
}

export function withParameters(address: string, parameters = new URLSearchParams()): string {
  const queryText = parameters.toString();
  return queryText === '' ? address : `${address}?${queryText}`;
}

export function addressOfSensor(
  id: string,
  span: ShownSpan,
  comparedIds: readonly string[],
  showsIncrease = false,
): string {
  const parameters = new URLSearchParams();
  if ('lastMs' in span) {
    const rangeName = namedRanges.find(({ ms }) => ms === span.lastMs)?.name;
    if (rangeName !== undefined && span.lastMs !== usualSpan.lastMs) {
      parameters.set('last', rangeName.toLowerCase());
    }
  } else {
    parameters.set('from', String(span.fromMs));
    parameters.set('to', String(span.toMs));
  }
  for (const comparedId of comparedIds) {
    parameters.append('with', comparedId);
  }

  if (showsIncrease) parameters.set('show', 'increase');

  return withParameters(addressOfRecord('sensors', id), parameters);
}

/** The span of an address; the usual one if it has none or an impossible one. */
export function spanOf(parameters: URLSearchParams): ShownSpan {
  const lastName = parameters.get('last');
  const namedRange = namedRanges.find(({ name }) => name.toLowerCase() === lastName);
  if (namedRange) return { lastMs: namedRange.ms };

  const fromMs = Number(parameters.get('from') ?? Number.NaN);
  const toMs = Number(parameters.get('to') ?? Number.NaN);
  const isPossible = (ms: number) => Number.isFinite(ms) && Math.abs(ms) < 4e12;
  return isPossible(fromMs) && isPossible(toMs) ? toTimeRange(fromMs, toMs) : usualSpan;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A hand-made address with a stray percent sign is taken literally.
    return part;
  }
}
