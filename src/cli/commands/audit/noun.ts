import type { Noun } from '../../command.ts';
import { exportRecords } from './export.ts';
import { list } from './list.ts';
import { verify } from './verify.ts';

/** `hkctl audit …` */
export const audit: Noun = {
  name: 'audit',
  summary: 'The audit trail: who did what, when, and was refused what',
  verbs: [list, verify, exportRecords],
};
