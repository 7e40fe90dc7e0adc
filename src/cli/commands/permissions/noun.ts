import type { Noun } from '../../command.ts';
import { list } from './list.ts';

/** `hkctl permissions …` */
export const permissions: Noun = {
  name: 'permissions',
  summary: 'The permissions a key can hold',
  verbs: [list],
};
