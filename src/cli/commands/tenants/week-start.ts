import { weekDays } from '../../../core/time/calendar.ts';
import { oneOf } from '../../flags.ts';

/** The flag for the first day of an organization's week. */
export const weekStart = oneOf('--week-start <DAY>', weekDays, 'the day its weeks start on');
