import type { Noun } from '../../command/command.ts';
import { erase } from './erase.ts';
import { list } from './list.ts';
import { exportReadings, tail } from './readings.ts';
import { show } from './show.ts';

export default { verbs: { list, show, tail, export: exportReadings, erase } } satisfies Noun;
