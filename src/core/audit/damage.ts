import type { AuditDraft } from '../port/audit.ts';

/**
 * Whether a record was damaged by an earlier hkctl that cut its text in the middle of a character: it hashed half of that
 * character, which SQLite cannot store, and SQLite returns U+FFFD, once or once per byte. `fits` reports whether the record
 * with its original text has the hash of the chain. An attacker cannot pass off another text as such damage: that would
 * take another text with the same SHA-256.
 */
export function isCutInHalf<Draft extends AuditDraft>(
  draft: Draft,
  fits: (as: Draft) => boolean,
): boolean {
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

export function damageText(seqs: readonly number[]): string {
  const shown = seqs.slice(0, mostNamed).join(', ');
  const more = seqs.length > mostNamed ? ` and ${seqs.length - mostNamed} more` : '';
  const [which, their] = seqs.length === 1 ? ['Audit record', 'its'] : ['Audit records', 'their'];
  return `${which} ${shown}${more}: an earlier version of hkctl cut the text in the middle of a character. That character is lost; ${their} hash proves that nothing else was altered.`;
}

/** The cut text ends with the first half of a character: a high surrogate. */
const firstHigh = 0xd800;
const lastHigh = 0xdbff;
/** The driver for Node 20 wrote half a character as three bytes, each of which is read back as U+FFFD. */
const bytesOfHalf = 3;
const mostNamed = 10;
