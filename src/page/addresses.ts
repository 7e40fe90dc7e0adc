import { namedRanges, type ShownSpan, toTimeRange, usualSpan } from './ranges.ts';

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

export function addressOfSensor(
  id: string,
  span: ShownSpan,
  comparedIds: readonly string[],
): string {
  const parameters = new URLSearchParams();
  if ('lastMs' in span) {
    const name = namedRanges.find(({ ms }) => ms === span.lastMs)?.name;
    if (name !== undefined && span.lastMs !== usualSpan.lastMs)
      parameters.set('last', name.toLowerCase());
  } else {
    parameters.set('from', String(span.fromMs));
    parameters.set('to', String(span.toMs));
  }
  for (const comparedId of comparedIds) parameters.append('with', comparedId);

  const query = parameters.toString();
  return `#/sensors/${encodeURIComponent(id)}${query === '' ? '' : `?${query}`}`;
}

/** The span of an address; the usual one if it has none or an impossible one. */
export function spanOf(parameters: URLSearchParams): ShownSpan {
  const last = namedRanges.find(({ name }) => name.toLowerCase() === parameters.get('last'));
  if (last) return { lastMs: last.ms };

  const fromMs = Number(parameters.get('from') ?? Number.NaN);
  const toMs = Number(parameters.get('to') ?? Number.NaN);
  const isPossible = [fromMs, toMs].every((ms) => Number.isFinite(ms) && Math.abs(ms) < 4e12);
  return isPossible ? toTimeRange(fromMs, toMs) : usualSpan;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A hand-made address with a stray percent sign is taken literally.
    return part;
  }
}
