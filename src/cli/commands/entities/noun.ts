import type { Noun } from '../../command.ts';
import { activate } from './activate.ts';
import { add } from './add.ts';
import { deactivate } from './deactivate.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

/** `hkctl entities …` */
export const entities: Noun = {
  name: 'entities',
  summary: 'Sites (plants) of the organization',
  verbs: [list, add, activate, deactivate, remove],
};
