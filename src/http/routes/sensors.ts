import type { Domain } from '../../core/domain/domain.ts';
import { chain } from '../../core/port/maybe-promise.ts';
import { pageSeparator } from '../../core/port/records.ts';
import { findSensor, withStates } from '../../core/readings/sensors.ts';
import type { RecordStates } from './records.ts';

/** Sensors are found by their id or their code, and shown with their last states. */
export function createSensorStates({ store: { readings } }: Domain): RecordStates {
  return {
    idOf: async (entityId, name) => findSensor(await readings.directory(entityId), name)?.id,
    async complete(entityId, json, run) {
      const directory = await readings.directory(entityId);
      // Synchronous if possible, so that its time is measured.
      return run(() =>
        chain(withStates(readings, directory, JSON.parse(`[${json}]`)), (views) =>
          views.map((view) => JSON.stringify(view)).join(pageSeparator),
        ),
      );
    },
  };
}
