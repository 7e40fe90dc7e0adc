import { requirePermissions } from '../../../../core/domain/actors.ts';
import { HkctlError, isHkctlError } from '../../../../core/errors.ts';
import { statusOf } from '../../../../core/keys/keys.ts';
import { gitleaksRule } from '../../../../core/keys/leak-scan.ts';
import { prefixOf, withoutSecrets } from '../../../../core/secrets.ts';
import { defineCommand, yesFlag } from '../../../command/command.ts';
import type { Context } from '../../../command/context.ts';
import { toggle } from '../../../command/flags.ts';
import { keyJson } from '../../../command/output.ts';
import { requireConfirmable, requireConfirmation } from '../../../questions/confirmation.ts';
import { switchedTo } from '../../../store-account.ts';
import { counted, grouped } from '../../../terminal/sentence.ts';
import { namesOf } from '../names.ts';
import { type Finding, Findings } from './findings.ts';
import { FoundKeys, type ScanSession } from './found-keys.ts';
import { linkReason, type ScanReport, type ScanStep, scanPaths, scanStream, unreadableReason } from './secret-scan.ts';

export const scan = defineCommand({
  name: 'scan',
  summary: 'Find secrets in files, folders or standard input',
  description:
    'Works offline, reads everything (hidden and binary files, too) and recognizes secrets by their checksum. If there is a store, it names the keys they belong to. Exit code 5: secrets were found; 1: none, but something could not be read.',
  arguments: [{ spelling: '[PATH...]', doc: 'files and folders; - for standard input' }],
  flags: {
    revoke: toggle('--revoke', 'revoke each active key as soon as its secret is found'),
    gitleaks: toggle('--gitleaks', 'print a rule for gitleaks and scanners like it, and end'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl keys scan .', 'a work tree; of its history in .git, only what is not compressed'],
    ['git log -p --all | hkctl keys scan -', 'all of its history'],
    ['hkctl keys scan /var/backups --revoke --yes', 'end what leaked'],
    ['hkctl keys scan --gitleaks >> .gitleaks.toml', 'let a scanner in CI know'],
  ],
  async run(context, { revoke, gitleaks, yes }, paths) {
    if (gitleaks) {
      context.printDocument(gitleaksRule, { rule: gitleaksRule });
      return 0;
    }
    if (paths.length === 0)
      throw new HkctlError('usage', 'PATH is missing: give files, folders or - for standard input.');
    // Before the first file is read: a key may be found after an hour.
    if (revoke) requireConfirmable(context, yes, 'Revoke the active keys that are found.');
    const session = await openSession(context, revoke);
    const keys = new FoundKeys(session);
    const findings = new Findings(keys);
    const report: ScanReport = { files: 0, bytes: 0, links: 0, others: 0, skipped: [] };
    for await (const piece of stepsOf(context, paths, report)) {
      if (piece === undefined) {
        const ended = findings.endFile();
        if (!context.json) printFindings(context, ended, session);
        continue;
      }
      for (const found of piece.found) {
        const finding = await findings.add(piece, found);
        if (finding?.found && keys.isToBeRevoked(finding.found)) await revokeFound(context, keys, finding, yes);
      }
    }
    if (context.json) context.printJson(reportJson(findings, report, nowOf(context, session)));
    else printSummary(context, findings, report);
    if (findings.occurrences > 0) return 5;
    return report.others > 0 ? 1 : 0;
  },
});

async function* stepsOf({ io }: Context, paths: readonly string[], report: ScanReport): AsyncGenerator<ScanStep, void> {
  yield* scanPaths(
    paths.filter((path) => path !== '-'),
    report,
  );
  if (paths.includes('-')) yield* scanStream(io.stdin, '-', report);
}

/** A leaked key works until it is revoked, so that nothing waits for the end of the scan. */
async function revokeFound(
  context: Context,
  keys: FoundKeys,
  { path, line, column, found }: Finding,
  yes: boolean,
): Promise<void> {
  if (!found) return;
  const name = namesOf([found.key]);
  const place = withoutSecrets(`${path}:${line}:${column}`);
  const question = `Revoke API key: ${name}, found at ${place}. Access stops at once; no replacement key is created.`;
  await requireConfirmation(context, yes, question, 'Revoke key');
  if (await keys.revoke(found)) context.say(`API key revoked: ${name}`);
}

/** A machine without a store, such as a CI runner, can scan as well; the keys of the secrets are then unknown. */
async function openSession(context: Context, revoke: boolean): Promise<ScanSession> {
  let session: ScanSession;
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

function nowOf({ io }: Context, session: ScanSession): number {
  return (session?.domain ?? io).clock();
}

function printFindings(context: Context, findings: readonly Finding[], session: ScanSession): void {
  const { style } = context;
  const noKey = session ? 'no key of your organization' : 'unknown, without a store';
  for (const { path, line, column, secret, count, found } of findings) {
    const whose = found ? `${statusOf(found.key, nowOf(context, session))}: ${found.key.name}` : noKey;
    const times = count > 1 ? ` (${counted(count, 'time')} in this file)` : '';
    context.print(`${path}:${line}:${column}: ${style.red(prefixOf(secret))}… ${whose}${times}`);
  }
}

function printSummary(context: Context, { occurrences, unlisted }: Findings, report: ScanReport): void {
  for (const { path, reason } of report.skipped) if (reason !== linkReason) context.warn(`skipped ${path}: ${reason}`);
  const account = context.io.actsAs();
  if (account !== undefined && report.skipped.some(({ reason }) => reason === unreadableReason)) {
    context.warn(`${switchedTo(account)} Give what it may not read on standard input: hkctl keys scan -`);
  }
  const megabytes = (report.bytes / 1e6).toFixed(1);
  const found = `${counted(occurrences, 'secret')} in ${counted(report.files, 'file')} (${megabytes} MB)`;
  const more = unlisted > 0 ? `, ${grouped(unlisted)} of them not listed` : '';
  context.say(`${found}${more}, ${grouped(report.others)} skipped, ${counted(report.links, 'link')} not followed`);
}

function reportJson(findings: Findings, report: ScanReport, nowMs: number): unknown {
  return {
    findings: findings.listed.map(({ path, line, column, secret, count, found }) => {
      const key = found ? keyJson(found.key, nowMs) : null;
      return { path, line, column, prefix: prefixOf(secret), count, key };
    }),
    occurrences: findings.occurrences,
    unlisted: findings.unlisted,
    skipped: report.skipped,
    files: report.files,
    bytes: report.bytes,
  };
}
