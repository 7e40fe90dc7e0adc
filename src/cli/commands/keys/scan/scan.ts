import { type Actor, type Domain, requirePermissions } from '../../../../core/access/actors.ts';
import { HkctlError, isHkctlError } from '../../../../core/errors.ts';
import type { KeyActor } from '../../../../core/keys/key-permissions.ts';
import { revokeKeys, statusOf } from '../../../../core/keys/keys.ts';
import { gitleaksRule } from '../../../../core/keys/leak-scan.ts';
import { hashOf, prefixOf } from '../../../../core/keys/secrets.ts';
import type { Key } from '../../../../core/port/keys.ts';
import { defineCommand, yesFlag } from '../../../command.ts';
import type { Context } from '../../../context.ts';
import { toggle } from '../../../flags.ts';
import { requireConfirmation } from '../../../questions/confirmation.ts';
import { keyJson } from '../../../terminal/output.ts';
import { counted } from '../../../terminal/sentence.ts';
import { namesOf } from '../names.ts';
import { type Finding, linkReason, type ScanReport, scanPaths, scanStream } from './secret-scan.ts';

/** `hkctl keys scan` */
export const scan = defineCommand({
  name: 'scan',
  summary: 'Find secrets in files, folders or standard input',
  description:
    'Works offline, reads everything (hidden and binary files, too) and recognizes secrets by their checksum. Where there is a store it names the keys they belong to. Exit code 5: secrets were found; 1: none, but something could not be read.',
  arguments: [{ spelling: '[PATH...]', doc: 'files and folders; - for standard input' }],
  flags: {
    revoke: toggle('--revoke', 'revoke the active keys whose secrets were found'),
    gitleaks: toggle('--gitleaks', 'print a rule for gitleaks and scanners like it, and end'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl keys scan .', 'a work tree, its history in .git only where not compressed'],
    ['git log -p --all | hkctl keys scan -', 'all of its history'],
    ['hkctl keys scan /var/backups --revoke --yes', 'end what leaked'],
    ['hkctl keys scan --gitleaks >> .gitleaks.toml', 'let a scanner in CI know'],
  ],
  async run(context, { revoke, gitleaks, yes }, paths) {
    if (gitleaks) {
      if (context.json) context.printJson({ rule: gitleaksRule });
      else context.printDocument(gitleaksRule);
      return 0;
    }
    if (paths.length === 0)
      throw new HkctlError('usage', 'PATH is missing: give files, folders or - for standard input.');
    const session = await openSession(context, revoke);
    const report = context.io.withOwnRights(() => scanPaths(paths.filter((path) => path !== '-')));
    if (paths.includes('-')) await scanStream(context.io.stdin, '-', report);
    const known = await keysOf(session, report.findings);
    const nowMs = (session?.domain ?? context.io).clock();
    const active = activeOf(known, nowMs);
    if (!context.json) {
      const unknown = session ? 'no key of your organization' : 'unknown, without a store';
      printReport(context, report, (finding) => {
        const key = keyOf(known, finding);
        return key ? `${statusOf(key, nowMs)}: ${key.name}` : unknown;
      });
    }
    if (session?.revoker && active.length > 0) {
      const question = `Revoke the keys that were found: ${namesOf(active)}. Access stops at once; no replacement key is created.`;
      await requireConfirmation(context, yes, question, 'Revoke keys');
      const revoked = await revokeKeys(session.domain, session.revoker, active);
      for (const key of revoked) known.set(key.id, { ...known.get(key.id), key });
      for (const key of revoked) context.say(`API key revoked: ${key.name} (${key.prefix})`);
    }
    if (context.json) context.printJson(reportJson(report, known, nowMs));
    if (report.findings.length > 0) return 5;
    return report.skipped.some(({ reason }) => reason !== linkReason) ? 1 : 0;
  },
});

type Session = { domain: Domain; actor: Actor; revoker?: KeyActor<'revoke'> } | undefined;
/** Keys by id, and the hash of the secret of each. */
type KnownKeys = Map<string, { key: Key; hash?: string }>;

/** A machine without a store, such as a CI runner, can scan as well; the keys of the secrets are then unknown. */
async function openSession(context: Context, revoke: boolean): Promise<Session> {
  let session: Session;
  try {
    session = await context.session();
  } catch (thrown) {
    if (!revoke && isHkctlError(thrown) && thrown.code === 'store_absent') return undefined;
    throw thrown;
  }
  const { domain, actor } = session;
  if (!revoke) {
    await requirePermissions(domain, actor, ['api_keys.view'], { action: 'key.verify', target: 'scan' });
    return session;
  }
  const attempt = { action: 'key.revoke', target: 'scan' } as const;
  const revoker = await requirePermissions(domain, actor, ['api_keys.view', 'api_keys.delete'], attempt);
  return { domain, actor, revoker };
}

async function keysOf(session: Session, findings: readonly Finding[]): Promise<KnownKeys> {
  const known: KnownKeys = new Map();
  if (!session) return known;
  const { domain, actor } = session;
  for (const hash of new Set(findings.map(({ secret }) => hashOf(secret)))) {
    const key = await domain.store.keys.findByHash(actor.user.tenantId, hash);
    if (key) known.set(key.id, { key, hash });
  }
  return known;
}

function activeOf(known: KnownKeys, nowMs: number): Key[] {
  return [...known.values()].map(({ key }) => key).filter((key) => statusOf(key, nowMs) === 'Active');
}

function keyOf(known: KnownKeys, { secret }: Finding): Key | undefined {
  const hash = hashOf(secret);
  return [...known.values()].find((one) => one.hash === hash)?.key;
}

function printReport(context: Context, report: ScanReport, whose: (finding: Finding) => string): void {
  const { style } = context;
  for (const finding of report.findings) {
    const { path, line, column, secret } = finding;
    context.print(`${path}:${line}:${column}: ${style.red(prefixOf(secret))}… ${whose(finding)}`);
  }
  const links = report.skipped.filter(({ reason }) => reason === linkReason).length;
  for (const { path, reason } of report.skipped) if (reason !== linkReason) context.warn(`skipped ${path}: ${reason}`);
  const megabytes = (report.bytes / 1e6).toFixed(1);
  const found = `${counted(report.findings.length, 'secret')} in ${counted(report.files, 'file')} (${megabytes} MB)`;
  context.say(`${found}, ${report.skipped.length - links} skipped, ${counted(links, 'link')} not followed`);
}

function reportJson(report: ScanReport, known: KnownKeys, nowMs: number): unknown {
  return {
    findings: report.findings.map((finding) => {
      const key = keyOf(known, finding);
      const { path, line, column, secret } = finding;
      return { path, line, column, prefix: prefixOf(secret), key: key ? keyJson(key, nowMs) : null };
    }),
    skipped: report.skipped,
    files: report.files,
    bytes: report.bytes,
  };
}
