import type { Noun } from '../../command.ts';
import { activate } from './activate.ts';
import { add } from './add.ts';
import { deactivate } from './deactivate.ts';
import { list } from './list.ts';
import { setRole } from './set-role.ts';

/** `hkctl users …` */
export const users: Noun = {
  name: 'users',
  summary: 'User profiles and their roles',
  verbs: [list, add, activate, deactivate, setRole],
};
