import type { Noun } from '../../command.ts';
import { browse } from '../../settings-page/browse.ts';
import { create } from './create.ts';
import { list } from './list.ts';
import { note } from './note.ts';
import { revoke } from './revoke.ts';
import { rotate } from './rotate/rotate.ts';
import { scan } from './scan/scan.ts';
import { show } from './show.ts';
import { verify } from './verify.ts';

/** `hkctl keys …` */
export const keys: Noun = {
  name: 'keys',
  summary: 'Create, list, rotate and revoke API keys',
  verbs: [create, list, show, rotate, revoke, note, verify, scan],
  bare: browse,
};
