import { dayMs } from '../time/spans.ts';

/** A sensor that sent nothing for this time is reported as silent. */
const silentMs = dayMs;

/** Whether a sensor was heard before, and sent neither a reading nor a heartbeat for a day. */
export function isSilent(seenMs: number | null, nowMs: number): boolean {
  return seenMs !== null && nowMs - seenMs > silentMs;
}
