import { type Actor, type Domain, requirePermissions } from '../access/actors.ts';
import { isOfFirstTenant } from '../organization/tenants.ts';
import type { AnchorReport, Anchors } from './anchors.ts';
import type { ChainReport } from './chain.ts';
import type { AuditRecord } from './events.ts';
import { verifyTrail } from './verification.ts';

/**
 * Records of the actor's organization, newest first; those that are of no organization, such as attempts of logins without
 * a profile, are shown to the first one, whose Super users look after the store. Needs `tenant.manage`.
 */
export async function listAudit(
  domain: Domain,
  actor: Actor,
  range: { sinceMs?: number; limit: number },
): Promise<AuditRecord[]> {
  await requirePermissions(domain, actor, ['tenant.manage'], { action: 'audit.read', target: 'audit' });
  return domain.store.audit.list(actor.user.tenantId, { ...range, ofStore: await isOfFirstTenant(domain, actor) });
}

/** The same, oldest first, in pieces so that memory stays bounded. Needs `tenant.manage`. */
export async function* exportAudit(
  domain: Domain,
  actor: Actor,
  { sinceMs = 0, limit = Number.POSITIVE_INFINITY }: { sinceMs?: number; limit?: number },
): AsyncGenerator<AuditRecord> {
  await requirePermissions(domain, actor, ['tenant.manage'], { action: 'audit.read', target: 'audit' });
  const ofStore = await isOfFirstTenant(domain, actor);
  let left = limit;
  for await (const record of domain.store.audit.walk()) {
    const isOurs = record.tenantId === null ? ofStore : record.tenantId === actor.user.tenantId;
    if (!isOurs || record.atMs < sinceMs) continue;
    if (left-- <= 0) return;
    yield record;
  }
}

/** What was kept elsewhere of a chain, to hold it against. */
export interface KeptOutside {
  /** A head hash that was printed earlier. */
  head?: string;
  /** Heads from the daemon's log. */
  anchors?: Anchors;
}

/** What the whole chain looks like, and whether it still holds what was kept elsewhere. */
export interface TrailReport extends ChainReport {
  /** Undefined where no head was given. */
  knownHeadFound: boolean | undefined;
  /** Undefined where none were given. */
  anchors: AnchorReport | undefined;
}

/**
 * Walks the chain of all organizations. Names the first record that was altered, removed, put in or moved, and notices a
 * tail that was cut off. Needs `tenant.manage`.
 */
export async function verifyAudit(
  domain: Domain,
  actor: Actor,
  { head, anchors }: KeptOutside = {},
): Promise<TrailReport> {
  await requirePermissions(domain, actor, ['tenant.manage'], { action: 'audit.read', target: 'audit' });
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
