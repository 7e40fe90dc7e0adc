import type { Session } from '../connection/session.ts';

export async function addToJournal(session: Session, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const add =
    'insert into journal (line) select line from unnest($1::text[]) with ordinality as l (line, n) order by n';
  await session.query('journal.add', add, [lines.map((line) => line.trimEnd())]);
}

export async function readJournalText(session: Session): Promise<string> {
  const rows = await session.query<{ line: string }>('journal.read', 'select line from journal order by number');
  return rows.map(({ line }) => `${line}\n`).join('');
}
