import { countErasable, eraseReadings } from '../../../core/readings/erasure.ts';
import { requireSensor } from '../../../core/readings/sensors.ts';
import { formatLocal } from '../../../core/time/calendar.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import type { FlagValues } from '../../command/flags.ts';
import { missingError, missingOf } from '../../command/missing.ts';
import type { StoreSession } from '../../command/store-access.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { askRevisably } from '../../questions/revisable.ts';
import { requireConfirmation } from '../../questions/values.ts';
import { entityFlag, rangeFlags, readRange } from './sensors.ts';

const eraseFlags = { entity: entityFlag, ...rangeFlags, yes: yesFlag };

export const erase = defineCommand({
  summary: 'Take readings of a sensor out for good',
  description:
    'For Super users. From --from on and before --to; the summaries of dropped readings go with them. Backups made before still hold them.',
  fields: ['sensor', 'from', 'to', 'readings', 'summarised'],
  arguments: [{ spelling: '<SENSOR>', doc: 'code or id of the sensor' }],
  flags: eraseFlags,
  examples: [
    [
      'hkctl sensors erase OVEN-3-T1 --entity BER --from 2026-11-20 --to 2026-11-21',
      'a day of a wrong probe',
    ],
    [
      'hkctl sensors erase OVEN-3-T1 --entity BER --from 2026-11-20T08:00:00Z --to 2026-11-20T08:30:00Z --yes',
      'half an hour, from a script',
    ],
  ],
  needs: ({ entity: code = '' }, [ref = '']) => ['sensors.erase', `${code}/${ref}`],
  required: ({ from, to }) => ({ '--from': from, '--to': to }),
  async run(context, flags, [ref = ''], session) {
    const { domain, actor } = session;
    const { erasure, spanText } = await askRevisably(context, (revisable) =>
      confirmedErasure(revisable, session, flags, ref),
    );
    const { sensor, fromUs, toUs } = erasure;
    const { readings, summarised } = await eraseReadings(domain, actor, erasure);
    const rangeJson = { from: formatInstantUs(fromUs), to: formatInstantUs(toUs) };
    context.report(
      { sensor: sensor.code, ...rangeJson, readings, summarised },
      `Erased ${countText({ readings, summarised })} of ${sensor.code} from ${spanText}`,
    );
  },
});

/** Asks for the entity if it is not clear, and whether the readings may go. */
async function confirmedErasure(
  context: Context,
  session: StoreSession,
  flags: FlagValues<typeof eraseFlags>,
  ref: string,
) {
  const { domain } = session;
  const entity = await entityOrAsk(context, session, flags.entity);
  const { fromUs, toUs } = readRange(flags, entity.timezone);
  // No question asks for the bounds, also on a terminal.
  if (fromUs === undefined || toUs === undefined)
    throw missingError(missingOf({ '--from': flags.from, '--to': flags.to }));

  const sensor = await requireSensor(domain, entity, ref);
  const erasure = { entity, sensor, fromUs, toUs };
  const erasable = await countErasable(domain, erasure);
  const shownInstant = (instantUs: number) => {
    const isWholeSecond = instantUs % 1_000_000 === 0;
    return isWholeSecond
      ? formatLocal(instantUs / 1000, entity.timezone)
      : formatInstantUs(instantUs);
  };
  const spanText = `${shownInstant(fromUs)} to ${shownInstant(toUs)}`;
  if (erasable.readings + erasable.summarised > 0) {
    const question = `Erase ${countText(erasable)} of ${sensor.code} from ${spanText}, for good?`;
    await requireConfirmation(context, question, 'Erase readings');
  }
  return { erasure, spanText };
}

function countText(erased: { readings: number; summarised: number }): string {
  const { readings, summarised } = erased;
  const readingsText = `${readings} ${readings === 1 ? 'reading' : 'readings'}`;
  return summarised === 0
    ? readingsText
    : `${readingsText} and the summaries of ${summarised} dropped ones`;
}
