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
import { namesOf } from '../shown-keys.ts';
import { Findings, type SecretFinding } from './findings.ts';
import {
  compressedReason,
  linkReason,
  type Occurrence,
  pathJson,
  type ScanReport,
  scanForSecrets as scanFiles,
  unreadableReason,
} from './secret-scan.ts';

export const keysScanCommand = defineCommand({
  summary: 'Find secrets in files, folders or standard input',
  description:
    'Works offline, reads everything (hidden and binary files, too) and recognizes secrets by their checksum, also in UTF-16, UTF-32 and base64; compressed files are named, not unpacked. If there is a store, it names the keys they belong to. Exit code 5: secrets were found; 1: none, but something could not be read.',
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

    const { io } = context;
    const rawPaths = io.rawPaths?.(paths) ?? paths;
    const clock = session?.domain.clock ?? io.clock;
    const findings = new Findings(session);
    const report: ScanReport = {
      files: 0,
      bytes: 0,
      compressed: 0,
      links: 0,
      others: 0,
      skipped: [],
    };
    for await (const occurrences of scanFiles(rawPaths, io.stdin, report)) {
      if (occurrences === undefined) {
        const fileFindings = findings.endFile();
        if (!context.json) printFindings(context, fileFindings, findings, session && clock());
        continue;
      }
      for (const occurrence of occurrences) {
        const key = await findings.add(occurrence);
        if (!key || !revoke || !session) continue;
        if (statusOf(key, clock()) !== 'Active') continue;

        const { domain, actor } = session;
        const endedKey = await revokeFound(context, domain, actor, occurrence, key);
        findings.keys.set(occurrence.secret, endedKey);
      }
    }

    if (context.json) context.printJson(reportJson(findings, report, clock()));
    else printSummary(context, findings, report);
    if (findings.occurrences > 0) return 5;
    return report.others > 0 ? 1 : 0;
  },
});

/** Revokes a leaked key at once, without waiting for the end of the scan. Returns the key as it is afterwards. */
async function revokeFound(
  context: Context,
  domain: Domain,
  revoker: Permitted<'key.revoke'>,
  { path, line, column }: Occurrence,
  key: Key,
): Promise<Key> {
  const keyName = namesOf([key]);
  const foundPlace = withoutSecrets(`${path}:${line}:${column}`);
  const effect = 'Access stops at once; no replacement key is created.';
  const question = `Revoke API key: ${keyName}, found at ${foundPlace}. ${effect}`;
  await requireConfirmation(context, question, 'Revoke key');
  try {
    const [revoked = key] = await revokeKeys(domain, revoker, [key]);
    context.say(`API key revoked: ${keyName}`);
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
  const withoutKey =
    nowMs === undefined ? 'unknown, without a store' : 'no key of your organization';
  for (const { path, line, column, secret, count } of findings) {
    const key = keys.get(secret);
    const isKnown = key && nowMs !== undefined;
    const ownerText = isKnown ? `${statusOf(key, nowMs)}: ${key.name}` : withoutKey;
    const timesText = count > 1 ? ` (${counted(count, 'time')} in this file)` : '';
    print(`${path}:${line}:${column}: ${style.red(prefixOf(secret))}… ${ownerText}${timesText}`);
  }
}

function printSummary(
  context: Context,
  { occurrences, unlisted }: Findings,
  report: ScanReport,
): void {
  for (const { path, reason } of report.skipped) {
    if (reason !== linkReason && reason !== compressedReason) {
      context.warn(`skipped ${path}: ${reason}`);
    }
  }
  const compressed = report.skipped.find(({ reason }) => reason === compressedReason);
  if (compressed) {
    const compressedText = counted(report.compressed, 'compressed file');
    context.warn(
      `not unpacked: ${compressedText}, such as ${compressed.path}. Send the content of one to standard input, such as: zcat FILE | hkctl keys scan -`,
    );
  }

  const account = context.io.actsAs();
  const hasUnreadable = report.skipped.some(({ reason }) => reason === unreadableReason);
  if (account !== undefined && hasUnreadable) {
    context.warn(
      `${switchedTo(account)} Give what it may not read on standard input: hkctl keys scan -`,
    );
  }

  const megabytes = (report.bytes / 1e6).toFixed(1);
  const filesText = `${counted(report.files, 'file')} (${megabytes} MB)`;
  const unlistedText = unlisted > 0 ? `, ${grouped(unlisted)} of them not listed` : '';
  const skippedText = `${grouped(report.others)} skipped`;
  const linksText = `${counted(report.links, 'link')} not followed`;
  context.say(
    `${counted(occurrences, 'secret')} in ${filesText}${unlistedText}, ${skippedText}, ${linksText}`,
  );
}

function reportJson(findings: Findings, report: ScanReport, nowMs: number): unknown {
  return {
    findings: findings.listed.map(({ line, column, secret, count, ...foundPath }) => {
      const key = findings.keys.get(secret);
      return {
        ...pathJson(foundPath),
        line,
        column,
        prefix: prefixOf(secret),
        count,
        key: key ? keyJson(key, nowMs) : null,
      };
    }),
    occurrences: findings.occurrences,
    unlisted: findings.unlisted,
    skipped: report.skipped.map(({ reason, ...skippedPath }) => {
      return { ...pathJson(skippedPath), reason };
    }),
    files: report.files,
    bytes: report.bytes,
  };
}
