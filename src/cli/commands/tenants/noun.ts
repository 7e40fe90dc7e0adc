import type { Noun } from '../../command.ts';
import { add } from './add.ts';
import { list } from './list.ts';
import { set } from './set.ts';

/** `hkctl tenants …` */
export const tenants: Noun = {
  name: 'tenants',
  summary: 'Organizations and their settings',
  verbs: [list, add, set],
};
