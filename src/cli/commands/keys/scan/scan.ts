import type { Permitted } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { HkctlError, isHkctlError } from '../../../../core/errors.ts';
import { revokeKeys, statusOf } from '../../../../core/keys/keys.ts';
import { gitleaksRule } from '../../../../core/keys/leak-scan.ts';
import type { Key } from '../../../../core/port/keys.ts';
import { prefixOf, withoutSecrets } from '../../../../core/secrets.ts';
import { counted, grouped } from '../../../../core/text/words.ts';
import { type CommandSession, defineCommand, yesFlag } from '../../../command/command.ts';
import type { Context } from '../../../command/context.ts';
import { toggle } from '../../../command/flags.ts';
import { keyJson } from '../../../command/output.ts';
import type { Printer } from '../../../command/printer.ts';
import { requireConfirmable, requireConfirmation } from '../../../questions/values.ts';
import { switchedTo } from '../../../store-account.ts';
import { namesOf } from '../names.ts';
import { Findings, type SecretFinding } from './findings.ts';
import {
  linkReason,
  type Occurrence,
  type ScanReport,
  scanForSecrets as scanFiles,
  unreadableReason,
} from './secret-scan.ts';
import { pathJson } from './shown-path.ts';

export const keysScanCommand = defineCommand({
  summary: 'Find secrets in files, folders or standard input',
  description:
    'Works offline, reads everything (hidden and binary files, too) and recognizes secrets by their checksum. If there is a store, it names the keys they belong to. Exit code 5: secrets were found; 1: none, but something could not be read.',
  fields: ['findings', 'occurrences', 'unlisted', 'skipped', 'files', 'bytes', 'rule'],
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
  needs({ revoke, gitleaks }, paths) {
    if (gitleaks || paths.length === 0) return undefined;
    return [revoke ? ['key.verify', 'key.revoke'] : ['key.verify'], 'scan'];
  },
  // A machine without a store, such as a CI runner, can scan as well; the keys of the secrets are then unknown.
  worksWithoutStore: ({ revoke }) => !revoke,
  async run(
    context,
    { revoke, gitleaks },
    paths,
    session: CommandSession<'key.verify' | 'key.revoke'> | undefined,
  ) {
    if (gitleaks) {
      context.printDocument(gitleaksRule, { rule: gitleaksRule });
      return 0;
    }
    if (paths.length === 0)
      throw new HkctlError(
        'usage',
        'PATH is missing: give files, folders or - for standard input.',
      );
    // Before the first file is read: a key may be found after an hour.
    if (revoke) requireConfirmable(context, 'Revoke the active keys that are found.');
    const { stdin } = context.io;
    const rawPaths = context.io.rawPaths?.(paths) ?? paths;
    const clock = session?.domain.clock ?? context.io.clock;
    const findings = new Findings(session);
    const report: ScanReport = { files: 0, bytes: 0, links: 0, others: 0, skipped: [] };
    for await (const occurrences of scanFiles(rawPaths, stdin, report)) {
      if (occurrences === undefined) {
        const fileFindings = findings.endFile();
        if (!context.json) printFindings(context, fileFindings, findings, session && clock());
        continue;
      }
      for (const occurrence of occurrences) {
        const key = await findings.add(occurrence);
        if (!key || !revoke || !session || statusOf(key, clock()) !== 'Active') continue;
        findings.keys.set(
          occurrence.secret,
          await revokeFound(context, session.domain, session.actor, occurrence, key),
        );
      }
    }
    if (context.json) context.printJson(reportJson(findings, report, clock()));
    else printSummary(context, findings, report);
    if (findings.occurrences > 0) return 5;
    return report.others > 0 ? 1 : 0;
  },
});

/** A leaked key works until it is revoked, so that nothing waits for the end of the scan. Returns the key as it is then. */
async function revokeFound(
  context: Context,
  domain: Domain,
  revoker: Permitted<'key.revoke'>,
  { path, line, column }: Occurrence,
  key: Key,
): Promise<Key> {
  const name = namesOf([key]);
  const place = withoutSecrets(`${path}:${line}:${column}`);
  const question = `Revoke API key: ${name}, found at ${place}. Access stops at once; no replacement key is created.`;
  await requireConfirmation(context, question, 'Revoke key');
  try {
    const [revoked = key] = await revokeKeys(domain, revoker, [key]);
    context.say(`API key revoked: ${name}`);
    return revoked;
  } catch (thrown) {
    // Another process has ended it meanwhile.
    if (!isHkctlError(thrown) || thrown.code !== 'key_not_active') throw thrown;
    return (await domain.store.keys.find(revoker.user.tenantId, key.id)) ?? key;
  }
}

/** `nowMs` is undefined without a store. */
function printFindings(
  { style, print }: Printer,
  findings: readonly SecretFinding[],
  { keys }: Findings,
  nowMs: number | undefined,
): void {
  const none = nowMs === undefined ? 'unknown, without a store' : 'no key of your organization';
  for (const { path, line, column, secret, count } of findings) {
    const key = keys.get(secret);
    const whose = key && nowMs !== undefined ? `${statusOf(key, nowMs)}: ${key.name}` : none;
    const times = count > 1 ? ` (${counted(count, 'time')} in this file)` : '';
    print(`${path}:${line}:${column}: ${style.red(prefixOf(secret))}… ${whose}${times}`);
  }
}

function printSummary(
  context: Context,
  { occurrences, unlisted }: Findings,
  report: ScanReport,
): void {
  for (const { path, reason } of report.skipped)
    if (reason !== linkReason) context.warn(`skipped ${path}: ${reason}`);
  const account = context.io.actsAs();
  if (account !== undefined && report.skipped.some(({ reason }) => reason === unreadableReason)) {
    context.warn(
      `${switchedTo(account)} Give what it may not read on standard input: hkctl keys scan -`,
    );
  }
  const megabytes = (report.bytes / 1e6).toFixed(1);
  const total = `${counted(occurrences, 'secret')} in ${counted(report.files, 'file')} (${megabytes} MB)`;
  const more = unlisted > 0 ? `, ${grouped(unlisted)} of them not listed` : '';
  context.say(
    `${total}${more}, ${grouped(report.others)} skipped, ${counted(report.links, 'link')} not followed`,
  );
}

function reportJson(findings: Findings, report: ScanReport, nowMs: number): unknown {
  return {
    findings: findings.listed.map(({ line, column, secret, count, ...place }) => {
      const key = findings.keys.get(secret);
      return {
        ...pathJson(place),
        line,
        column,
        prefix: prefixOf(secret),
        count,
        key: key ? keyJson(key, nowMs) : null,
      };
    }),
    occurrences: findings.occurrences,
    unlisted: findings.unlisted,
    skipped: report.skipped.map(({ reason, ...place }) => ({ ...pathJson(place), reason })),
    files: report.files,
    bytes: report.bytes,
  };
}
