// mirror.mjs URL KEYFILE FILE
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

if (process.argv.length !== 5) {
  console.error('usage: mirror.mjs URL KEYFILE FILE');
  process.exit(2);
}
const [url, keyFile, file] = process.argv.slice(2);
const headers = { authorization: `Bearer ${readFileSync(keyFile, 'utf8').trim()}` };

async function get(query) {
  for (;;) {
    const answer = await fetch(`${url}?${new URLSearchParams(query)}`, { headers });
    if (answer.ok) return answer.json();
    if (answer.status === 410) return null;
    if (answer.status !== 429 && answer.status !== 503) throw new Error(await answer.text());
    await sleep(1000 * Number(answer.headers.get('retry-after') ?? 5));
  }
}

async function sync({ token, records }) {
  const known = new Map(records.map((record) => [record.id, record]));
  const query = token ? { limit: 500, sync_token: token } : { limit: 500 };
  for (;;) {
    const page = await get(query);
    if (page === null) return sync({ records: [] });
    for (const record of page.data) known.set(record.id, record);
    for (const id of page.removed ?? []) known.delete(id);
    if (page.next_cursor === null) return { token: page.sync_token, records: [...known.values()] };
    query.cursor = page.next_cursor;
  }
}

const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { records: [] };
writeFileSync(`${file}.new`, JSON.stringify(await sync(before)));
renameSync(`${file}.new`, file);
