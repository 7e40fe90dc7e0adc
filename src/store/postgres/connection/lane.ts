import { sha256 } from '../../../core/digest.ts';
import type { Session } from './session.ts';

/** Settings of the planner, by their names. */
export type Settings = Readonly<Record<string, string>>;

/** Runs single statements, which the connection prepares at their first use. */
export interface Lane {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Sends rows by a statement such as `copy TABLE from stdin binary`, one at a time. */
  copy(text: string, rows: Buffer): Promise<void>;
}

/** The most statements of one connection, since the server keeps a plan of each until the connection ends. */
const mostStatements = 500;

/** A lane over the connection that `use` gives to each statement; `renew` is called before a connection has too many of them. */
export function createLane(use: <T>(work: (session: Session) => Promise<T>) => Promise<T>, renew = () => {}): Lane {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= mostStatements) {
      names.clear();
      renew();
    }
    // The same in every lane, since a store that is being created has one connection for all of them.
    const name = `lane.${sha256(text, 'base64url').slice(0, 22)}`;
    names.set(text, name);
    return name;
  };
  return {
    query: (text, values) => {
      const name = nameOf(text);
      return use((session) => session.query(name, text, values));
    },
    copy: (text, rows) => use((session) => session.copy(text, rows)),
  };
}
