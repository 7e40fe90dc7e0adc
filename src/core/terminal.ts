export type ColourCodes = Readonly<Record<'red' | 'green' | 'yellow' | 'cyan', string>>;

/**
 * The colours of a terminal that can show 256 of them, else the basic ones. Many terminals show basic green, yellow and cyan so
 * brightly that they are unreadable on white. These three of the 256 have a contrast of 3.8 or more both to white and to a dark
 * grey such as #1e1e1e; the basic red has it everywhere.
 */
export function colourCodes(env: Readonly<Record<string, string | undefined>>): ColourCodes {
  return has256Colours(env) ? readable : basic;
}

const basic: ColourCodes = { red: '31', green: '32', yellow: '33', cyan: '36' };
const readable: ColourCodes = { red: '31', green: '38;5;64', yellow: '38;5;166', cyan: '38;5;31' };

/** `FORCE_COLOR` says how many colours in the way of Node: 1 for 16 colours, 2 for 256, 3 for millions. */
function has256Colours({
  FORCE_COLOR: force,
  TERM: term = '',
  COLORTERM: colourTerm,
}: Record<string, string | undefined>) {
  if (force !== undefined) return force === '2' || force === '3';
  return Boolean(colourTerm) || /256colou?r|direct/.test(term);
}

/** Whether a file is the journal's stream, by device and inode; its lines may begin with a priority (sd-daemon(3)). */
export function isJournalStream(
  named: string | undefined,
  { dev, ino }: { dev: number; ino: number },
): boolean {
  return named === `${dev}:${ino}`;
}
