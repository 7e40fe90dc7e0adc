import type { Noun } from '../../command/command.ts';
import { erase } from './erase.ts';
import { sensorsListCommand } from './list.ts';
import { exportReadings, tail } from './readings.ts';
import { sensorsShowCommand } from './show.ts';

export default {
  verbs: {
    list: sensorsListCommand,
    show: sensorsShowCommand,
    tail,
    export: exportReadings,
    erase,
  },
} satisfies Noun;
