import { type Actor, isOfFirstTenant, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { AuditFilter, AuditRecord } from '../port/audit.ts';
import type { AnchorReport, Anchors } from './anchors.ts';
import type { ChainReport } from './chain.ts';
import { verifyTrail } from './chain.ts';

/**
 * Audit records of the actor's organization, newest first. Records without an organization, such as attempts of unknown
 * logins, are shown to the first organization, whose Super users administer the store. Needs `tenant.manage`.
 */
export async function listAudit(
  domain: Domain,
  actor: Actor,
  filter: AuditFilter & { limit: number },
): Promise<AuditRecord[]> {
  await requirePermissions(domain, actor, 'audit.read', 'audit');
  return domain.store.audit.list(actor.user.tenantId, { ...filter, ofStore: await isOfFirstTenant(domain, actor) });
}

/** The same records, oldest first, one at a time, so that memory stays bounded. Needs `tenant.manage`. */
export async function* exportAudit(
  domain: Domain,
  actor: Actor,
  { limit = Number.POSITIVE_INFINITY, ...filter }: AuditFilter & { limit?: number },
): AsyncGenerator<AuditRecord> {
  await requirePermissions(domain, actor, 'audit.read', 'audit');
  const ofStore = await isOfFirstTenant(domain, actor);
  let left = limit;
  for await (const record of domain.store.audit.walk()) {
    const isOurs = record.tenantId === null ? ofStore : record.tenantId === actor.user.tenantId;
    if (!isOurs || !isSelected(record, filter)) continue;
    if (left-- <= 0) return;
    yield record;
  }
}

/** Whether a filter selects a record; a store that lists records does the same by itself. */
function isSelected({ atMs, actor, osAccount, action, target, outcome }: AuditRecord, filter: AuditFilter): boolean {
  const { sinceMs = atMs, untilMs = atMs } = filter;
  const inCapitals = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  return (
    atMs >= sinceMs &&
    atMs <= untilMs &&
    (filter.actor ?? actor?.login ?? osAccount) === (actor?.login ?? osAccount) &&
    (filter.action ?? action) === action &&
    (filter.outcome ?? outcome) === outcome &&
    inCapitals(target).includes(inCapitals(filter.target ?? ''))
  );
}

/** Hashes that were kept outside the store, to compare a chain with. */
interface KeptOutside {
  /** A head hash that was printed earlier. */
  head?: string;
  anchors?: Anchors;
}

/** The result for the whole chain, and whether it still contains the hashes that were kept outside the store. */
interface TrailReport extends ChainReport {
  /** Undefined if no head was given. */
  knownHeadFound: boolean | undefined;
  /** Undefined if no anchors were given. */
  anchors: AnchorReport | undefined;
}

/**
 * Verifies the chain of all organizations. Reports the first record that was altered, removed, inserted or moved, and a tail
 * that was cut off. Needs `tenant.manage`.
 */
export async function verifyAudit(
  domain: Domain,
  actor: Actor,
  { head, anchors }: KeptOutside = {},
): Promise<TrailReport> {
  await requirePermissions(domain, actor, 'audit.read', 'audit');
  let isHeadFound = false;
  const report = await verifyTrail(domain.store.audit, (record) => {
    isHeadFound ||= record.hash === head;
    anchors?.watch(record);
  });
  return {
    ...report,
    knownHeadFound: head === undefined ? undefined : isHeadFound,
    anchors: anchors?.report(report),
  };
}
