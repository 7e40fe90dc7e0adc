import type { SensorState } from '../port/readings.ts';
import { formatOptionalUs } from '../time/instants.ts';

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
