import type { AuditDraft } from './events.ts';

/**
 * Whether a record holds what an earlier hkctl made of a text that it had cut in the middle of a character: it hashed half
 * of that character, which SQLite cannot keep, and what is read is U+FFFD, once or once a byte. `fits` says whether a record
 * with the text as it was then has the hash that the chain holds, so that nobody can pass off another text as damage: that
 * would take another text with the same SHA-256.
 */
export function isCutInHalf<Draft extends AuditDraft>(draft: Draft, fits: (as: Draft) => boolean): boolean {
  const [, rest = ''] = /^(.*\uFFFD)…$/su.exec(draft.target) ?? [];
  if (rest === '') return false;
  const readAs = rest.endsWith('\uFFFD'.repeat(bytesOfHalf)) ? [1, bytesOfHalf] : [1];
  for (const length of readAs) {
    const start = rest.slice(0, -length);
    for (let half = firstHigh; half <= lastHigh; half++) {
      if (fits({ ...draft, target: `${start}${String.fromCharCode(half)}…` })) return true;
    }
  }
  return false;
}

/** What is said of such records, to whoever verifies or copies them. */
export function damageText(seqs: readonly number[]): string {
  const shown = seqs.slice(0, mostNamed).join(', ');
  const more = seqs.length > mostNamed ? ` and ${seqs.length - mostNamed} more` : '';
  const [which, their] = seqs.length === 1 ? ['Audit record', 'its'] : ['Audit records', 'their'];
  return `${which} ${shown}${more}: an earlier version of hkctl cut the text in the middle of a character. That character is lost; ${their} hash proves that nothing else was altered.`;
}

/** A text cut too early ends in the first half of a character: a high surrogate. */
const firstHigh = 0xd800;
const lastHigh = 0xdbff;
/** The driver for Node 20 wrote half a character as three bytes, each of which is read as one U+FFFD. */
const bytesOfHalf = 3;
const mostNamed = 10;
