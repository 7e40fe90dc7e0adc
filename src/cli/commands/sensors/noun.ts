import type { Noun } from '../../command.ts';
import { erase } from './erase.ts';
import { exportReadings } from './export.ts';
import { list } from './list.ts';
import { show } from './show.ts';

/** `hkctl sensors …` */
export const sensors: Noun = {
  name: 'sensors',
  summary: 'Asset sensors, their state and their readings',
  verbs: [list, show, exportReadings, erase],
};
