import type { Cli } from '../harness.ts';

/** An event of the audit trail, as `--json` shows it. */
interface AuditJson {
  seq: number;
  action: string;
  target: string;
  outcome: string;
  os_account: string;
  actor: { login: string } | null;
  detail: Record<string, unknown>;
}

/** The latest thousand events of the audit trail, the latest first. */
export async function auditTrail(cli: Cli): Promise<AuditJson[]> {
  return (await cli.ok('audit list --json --limit 1000')).json();
}
