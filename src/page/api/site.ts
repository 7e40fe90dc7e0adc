import type { Api, Read, RequestLimit } from './api.ts';
import type { ListAnswer, Me, Resource } from './models.ts';

/** Facts of the site that every view receives in each turn: name, zone, rights and clock. */
export interface Site {
  me: Me;
  resources: readonly Resource[];
  limit: RequestLimit | undefined;
  /** The instant of the server's clock, in milliseconds: that of a visitor's computer may be wrong. */
  now(): number;
}

/** Reads the facts of the key's site; an answer that the last turn had leaves its clock running. */
export async function readSite(read: Read, api: Api, lastSite: Site | undefined): Promise<Site> {
  const me = await read<Me>('me');
  const resources = (await read<ListAnswer<Resource>>('resources')).data;
  const now = lastSite?.me === me ? lastSite.now : clockOf(me);
  return { me, resources, limit: api.limit(), now };
}

/** Runs on from the moment of the answer, whatever the computer's own clock does. */
function clockOf({ server_time }: Me): () => number {
  const offsetMs = Date.parse(server_time) - performance.now();
  return () => performance.now() + offsetMs;
}

/** Whether the key may read a list, such as `assets`. */
export function mayRead({ resources }: Site, listName: string): boolean {
  return resources.some(({ name, methods }) => name === listName && methods.includes('GET'));
}

/** All records of a list, page by page. */
export async function readAll<Item>(read: Read, listName: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const answer = await read<ListAnswer<Item>>(listName, { limit: 500, cursor });
    items.push(...answer.data);
    cursor = answer.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
