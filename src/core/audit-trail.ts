import { type Actor, type Domain, requirePermissions } from './actors.ts';
import { type AuditRecord, type ChainReport, verifyChain } from './audit.ts';
import { isOfFirstTenant } from './tenants.ts';

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

/** What the whole chain looks like, and whether it still holds a head that was kept elsewhere. */
export interface TrailReport extends ChainReport {
  /** Undefined where no head was given. */
  knownHeadFound: boolean | undefined;
}

/**
 * Walks the chain of all organizations. Names the first record that was altered, removed, put in or moved, and notices a
 * tail that was cut off. Needs `tenant.manage`.
 */
export async function verifyAudit(domain: Domain, actor: Actor, knownHead?: string): Promise<TrailReport> {
  await requirePermissions(domain, actor, ['tenant.manage'], { action: 'audit.read', target: 'audit' });
  const seen = { seq: 0, knownHead: false };
  const report = await verifyChain(noting(domain.store.audit.walk(), seen, knownHead));
  const lastSeq = await domain.store.audit.lastSeq();
  const cut = report.broken === null && lastSeq > seen.seq;
  const broken = cut
    ? { seq: seen.seq + 1, reason: `the records ${seen.seq + 1} to ${lastSeq} at the end were removed` }
    : report.broken;
  return { ...report, broken, knownHeadFound: knownHead === undefined ? undefined : seen.knownHead };
}

async function* noting(
  records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>,
  seen: { seq: number; knownHead: boolean },
  knownHead: string | undefined,
): AsyncGenerator<AuditRecord> {
  for await (const record of records) {
    seen.seq = record.seq;
    seen.knownHead ||= record.hash === knownHead;
    yield record;
  }
}
