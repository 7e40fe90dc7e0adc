import { type Actor, isOfFirstTenant, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { AuditFilter, AuditPageRequest, AuditRecord } from '../port/audit.ts';
import type { Anchors } from './anchors.ts';
import { verifyTrail } from './chain.ts';

/** A page of the records of an organization; the first organization also sees records without any. Needs `tenant.manage`. */
export async function listAudit(
  domain: Domain,
  actor: Actor,
  page: AuditPageRequest,
): Promise<AuditRecord[]> {
  await requirePermissions(domain, actor, 'audit.read', 'audit');
  return domain.store.audit.list(actor.user.tenantId, {
    ...page,
    ofStore: await isOfFirstTenant(domain, actor),
  });
}

/** The same records, oldest first, page by page, so that memory stays bounded. */
export async function* exportAudit(
  domain: Domain,
  actor: Actor,
  { limit = Number.POSITIVE_INFINITY, ...filter }: AuditFilter & { limit?: number },
): AsyncGenerator<AuditRecord[]> {
  let lastSeq: number | undefined;
  for (let remaining = limit; remaining > 0; ) {
    const page = {
      ...filter,
      isOldestFirst: true,
      after: lastSeq,
      limit: Math.min(remaining, exportPageSize),
    };
    const records = await listAudit(domain, actor, page);
    yield records;

    if (records.length < exportPageSize) return;
    lastSeq = records.at(-1)?.seq;
    remaining -= records.length;
  }
}

const exportPageSize = 1000;

/**
 * Verifies the chain of all organizations. Reports the first record that was altered, removed, inserted or moved, and a tail
 * that was cut off. Compares the chain with hashes that were kept outside the store, such as the anchors of a log. Needs
 * `tenant.manage`.
 */
export async function verifyAudit(
  domain: Domain,
  actor: Actor,
  { head, anchors }: { head?: string; anchors?: Anchors } = {},
) {
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
