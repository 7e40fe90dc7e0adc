/**
 * A text in Unicode's form NFC, in which codes, ids and names are stored and compared: `é` as one character or as two is the same
 * name (UAX #15). No name has more than thirty marks in a row (section 13), which would take quadratic time: such a text stays.
 */
export function canonicalText(text: string): string {
  // Characters of Latin-1 are in that form, and nearly all texts consist of them.
  return /[\u0100-\uffff]/.test(text) && !longMarks.test(text) ? text.normalize('NFC') : text;
}

const longMarks = /\p{M}{31}/u;
