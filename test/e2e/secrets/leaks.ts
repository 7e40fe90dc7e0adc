import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { ofProcess, processIds } from '../processes.ts';

/**
 * The first part of a secret that a text holds: `telling` characters from its start, or ten from anywhere behind it; in
 * lower case also, as names of headers and types are written.
 */
export function leakOf(text: string, secret: string, telling: number): string | undefined {
  const given = text.toLowerCase();
  const wanted = secret.toLowerCase();
  if (given.includes(wanted.slice(0, telling))) return secret.slice(0, telling);
  for (let at = 1; at + 10 <= wanted.length; at++) {
    if (given.includes(wanted.slice(at, at + 10))) return secret.slice(at, at + 10);
  }
  return undefined;
}

/** As leakOf, of what stands under a name, by which a file of a database is known. */
export function leakIn(name: string, text: string, secret: string): string | undefined {
  // In a database the column behind a prefix may begin, by chance, with the secret's next characters.
  return leakOf(text, secret, /\.db(-wal|-shm)?$/.test(name) ? 13 : 9);
}

export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What a store in a database holds, each table as a text under its name. */
export async function tablesOf(address: string): Promise<[name: string, text: string][]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'hkctl'",
    );
    const texts: [string, string][] = [];
    for (const { name } of rows) {
      const found = await client.query<{ text: string }>(
        `select string_agg(t::text, E'\\n') as text from hkctl."${name}" t`,
      );
      texts.push([`table ${name}`, found.rows[0]?.text ?? '']);
    }
    return texts;
  } finally {
    await client.end();
  }
}

/** Looks into every process that starts: what of its arguments and environment anybody on the machine could see. */
export class ProcessWatch {
  readonly #others = new Set(processIds());
  readonly #seen = new Map<string, Set<string>>();
  readonly #timer = setInterval(() => this.#look(), 5);

  /** All that was seen, until now. */
  stop(): string {
    clearInterval(this.#timer);
    return [...this.#seen.values()].flatMap((texts) => [...texts]).join('\n');
  }

  get count(): number {
    return this.#seen.size;
  }

  #look(): void {
    for (const pid of processIds()) {
      if (this.#others.has(pid)) continue;
      const texts = this.#seen.get(pid) ?? new Set();
      for (const name of ['cmdline', 'environ']) texts.add(ofProcess(pid, name));
      this.#seen.set(pid, texts);
    }
  }
}
