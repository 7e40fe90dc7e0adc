import { formatInstantUs, parseInstantUs } from '../time/instants.ts';
import { instantsShowing } from '../time/wall-clock.ts';
import { type Fault, fault, shown } from './rejections.ts';

const localPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?$/i;

/**
 * The instant in RFC 3339 of a time without an offset, by the clocks of a zone; or why it has none. Anything else stays as it is.
 */
export function instantOfLocal(at: unknown, timezone: string): { at: unknown } | Fault {
  const [, date, minutes, seconds = ':00', fraction = '0'] =
    typeof at === 'string' ? (localPattern.exec(at) ?? []) : [];
  const wallUs = date && parseInstantUs(`${date}T${minutes}${seconds}.${fraction}Z`);
  if (!wallUs || !Number.isFinite(wallUs)) return { at };

  const wallMs = Math.floor(wallUs / 1000);
  const [instantMs, laterMs] = instantsShowing(wallMs, timezone);
  if (instantMs === undefined) {
    const detail = `${shown(at)} does not exist in ${timezone}: clocks are set forward past it.`;
    return fault('invalid_at', detail);
  }
  if (laterMs !== undefined) {
    const detail = `${shown(at)} exists twice in ${timezone}: clocks are set back over it. Give it with its offset.`;
    return fault('invalid_at', detail);
  }
  return { at: formatInstantUs(wallUs - (wallMs - instantMs) * 1000) };
}
