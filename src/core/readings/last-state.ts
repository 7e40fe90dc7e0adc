import type { SensorState } from '../port/readings.ts';
import { formatOptionalUs } from '../time/instants.ts';
import { dayMs, parseSpanMs } from '../time/spans.ts';

/** The last state of a sensor as fields of its record, null before the first reading or heartbeat. */
export function lastStateOf({ reading, heartbeat }: SensorState = nothing) {
  return {
    last_reading_at: formatOptionalUs(reading?.atUs),
    last_value: reading?.value ?? null,
    last_heartbeat_at: formatOptionalUs(heartbeat?.atUs),
    last_status: heartbeat?.status ?? null,
    last_battery: heartbeat?.battery ?? null,
  };
}

const nothing: SensorState = { reading: undefined, heartbeat: undefined };

export type LastState = ReturnType<typeof lastStateOf>;

export const lastStateFields = Object.keys(lastStateOf());

/** The last reading or heartbeat; null before the first. */
export function seenMsOf(
  state: Readonly<Pick<LastState, 'last_reading_at' | 'last_heartbeat_at'>>,
): number | null {
  const instants = [state.last_reading_at, state.last_heartbeat_at];
  const timesMs = instants.flatMap((instant) => (instant === null ? [] : [Date.parse(instant)]));
  return timesMs.length === 0 ? null : Math.max(...timesMs);
}

/**
 * Whether a sensor was heard before, and sent neither a reading nor a heartbeat for its span. A last time more than a day ahead
 * is that of a wrong clock, behind which nobody would notice a silence.
 */
export function isSilent(
  silentAfter: string | null,
  seenMs: number | null,
  nowMs: number,
): boolean {
  const spanMs = silentAfter === null ? dayMs : parseSpanMs(silentAfter);
  if (seenMs === null) return false;
  return nowMs - seenMs > spanMs || seenMs - nowMs > dayMs;
}
