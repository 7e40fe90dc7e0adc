import type { Noun } from '../../command.ts';
import { erase } from './erase.ts';
import { exportReadings } from './export.ts';
import { list } from './list.ts';
import { show } from './show.ts';
import { tail } from './tail.ts';

/** `hkctl sensors …` */
export const sensors: Noun = {
  name: 'sensors',
  summary: 'Asset sensors, their state and their readings',
  verbs: [list, show, tail, exportReadings, erase],
};
