import type { LastState } from '../../core/readings/last-state.ts';

/** The answers of the API that the page reads; `api/v1/openapi.json` describes them. */

export interface Me {
  tenant: { id: string; name: string };
  entity: { id: string; code: string; name: string; timezone: string };
  key: { id: string; prefix: string; name: string; expires_at: string | null };
  permissions: string[];
  resources: string[];
  server_time: string;
}

export interface Resource {
  name: string;
  path: string;
  title: string;
  permissions: string[];
  methods: string[];
}

export interface ListAnswer<Item> {
  data: Item[];
  next_cursor: string | null;
}

export interface ListedSensor extends LastState {
  id: string;
  code: string;
  name: string;
  asset_id: string | null;
  quantity: string | null;
  unit: string | null;
  is_active: boolean;
  /** A span such as `15m`, after which the sensor counts as silent; a day if null. */
  silent_after?: string | null;
}

/** A reading, or a bucket of readings with its aggregates. */
export interface Point {
  at: string;
  value?: number | null;
  quality?: 'good' | 'uncertain' | 'bad';
  avg?: number | null;
  min?: number | null;
  max?: number | null;
  count?: number;
  increase?: number | null;
}

/** The points of one sensor in an answer of `readings`. */
export interface SensorPoints {
  sensor: { id: string; code: string };
  data: Point[];
}

/** A record of any resource. */
export type PlantRecord = Readonly<Record<string, unknown>>;
