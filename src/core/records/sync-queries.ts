import { HkctlError } from '../errors.ts';
import type { ResourceDefinition } from '../fields/fields.ts';
import type { RecordPageRequest, RecordPosition } from '../port/records.ts';
import { quotedText } from '../text/shown-text.ts';
import { instantAfter } from './changes.ts';
import { fingerprint, readCursor, writeCursor, wrongCursor } from './cursors.ts';
import { pageLimit, type QueryParameters, readLimit, requireKnown } from './parameters.ts';
import { type PageScope, pageParameters, readInclude } from './queries.ts';
import { isChangedAt, listName, readSyncToken, type SyncToken } from './sync-tokens.ts';

/** The changes come first, then the removals. */
type Part = 'changed' | 'removed';

export interface ChangesQuery {
  entityId: string;
  token: SyncToken;
  limit: number;
  /** The last change that the pages of this answer show; undefined on the first page. */
  to: string | undefined;
  changedUntil(to: string): RecordPageRequest;
  firstRemoved: RecordPosition;
  /** Where this page of removals starts; undefined while there may be changed records. */
  removedAfter: RecordPosition | undefined;
  cursorOf(part: Part, next: RecordPosition, to: string): string;
}

export function createChangesQueries(resource: ResourceDefinition): {
  read(query: QueryParameters, scope: PageScope): ChangesQuery;
} {
  const parameters = pageParameters(resource);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return {
    read(query, { entityId }) {
      const given = requireKnown(query, byName);
      for (const name of given.keys()) {
        if (byName.get(name)?.on === undefined) continue;
        throw new HkctlError('bad_parameter', `sync_token allows no filter: leave ${quotedText(name)} out.`);
      }
      const text = given.get('sync_token') ?? '';
      const token = readSyncToken(text, listName(resource, entityId));
      const limit = readLimit(given.get('limit'), pageLimit);
      const include = readInclude(resource, given.get('include'));
      const tie = fingerprint(['changes', text, include]);
      const cursor = given.get('cursor');
      const { part, position, to } = cursor === undefined ? first : readPlace(cursor, tie);
      const from = instantAfter(token.changedAt);
      return {
        entityId,
        token,
        limit,
        to,
        changedUntil: (until) => ({
          resource,
          entityId,
          include,
          limit,
          orderBy: 'updated_at',
          conditions: [
            { field: 'updated_at', op: 'from', value: from },
            { field: 'updated_at', op: 'to', value: until },
          ],
          after: position,
        }),
        firstRemoved: { value: from, id: '' },
        removedAfter: part === 'removed' ? position : undefined,
        cursorOf: (nextPart, { value, id }, until) => writeCursor(tie, [nextPart, value, id, until]),
      };
    },
  };
}

interface Place {
  part: Part;
  position: RecordPosition | undefined;
  to: string | undefined;
}

const first: Place = { part: 'changed', position: undefined, to: undefined };

function readPlace(cursor: string, tie: string): Place {
  const [part, value, id, to, ...rest] = readCursor(cursor, tie);
  if (part !== 'changed' && part !== 'removed') throw wrongCursor(cursor);
  if (!isChangedAt(value) || !isChangedAt(to) || typeof id !== 'string' || rest.length > 0) throw wrongCursor(cursor);
  return { part, position: { value, id }, to };
}
