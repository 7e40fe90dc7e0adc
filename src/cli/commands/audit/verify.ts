import { Anchors, anchorIn } from '../../../core/audit/anchors.ts';
import { verifyAudit } from '../../../core/audit/trail.ts';
import { HkctlError } from '../../../core/errors.ts';
import { counted, nounFor } from '../../../core/text/words.ts';
import { defineCommand } from '../../command/command.ts';
import { parsed, textFlag } from '../../command/flags.ts';
import type { Io } from '../../terminal/io.ts';
import { streamNamedFile } from '../../terminal/named-files.ts';
import { createStepLine } from '../../terminal/progress.ts';

export const auditVerifyCommand = defineCommand({
  summary: 'Check that no record was altered, removed, put in or moved',
  description:
    'Names the first record that does not fit the chain (exit code 5). Keep the head hash it prints elsewhere, or the log of the daemon, which names the head whenever it changed, and give them with --head and --anchors later: then a cut tail, a chain written anew and an older store put back are noticed, too.',
  readOnly: true,
  fields: ['ok', 'records', 'head_hash', 'broken', 'known_head_found', 'anchors'],
  flags: {
    head: parsed(
      '--head <HASH>',
      'a head hash printed earlier, which the chain must still hold',
      parseHash,
    ),
    anchors: textFlag(
      '--anchors <FILE>',
      "the daemon's log, also among other lines; - = standard input",
    ),
  },
  examples: [
    ['hkctl audit verify', 'prints the head hash'],
    ['hkctl audit verify --head "$(cat head.txt)"', 'against a head that was kept elsewhere'],
    ['journalctl -u hkctl -o cat | hkctl audit verify --anchors -', "against the daemon's log"],
  ],
  needs: () => ['audit.read', 'audit'],
  async run(context, { head, anchors: anchorsFile }, _args, { domain, actor }) {
    const anchors =
      anchorsFile === undefined ? undefined : await readAnchors(context.io, anchorsFile);
    const stepLine = createStepLine(context);
    stepLine.show('Checking the audit trail');
    const report = await verifyAudit(domain, actor, { head, anchors }).finally(stepLine.end);
    const { records, headHash, broken, knownHeadFound } = report;
    const fault = broken ?? report.anchors?.broken ?? null;

    if (context.json) {
      context.printJson({
        ok: fault === null && knownHeadFound !== false,
        records,
        head_hash: headHash,
        broken,
        ...(knownHeadFound !== undefined && { known_head_found: knownHeadFound }),
        ...(report.anchors && { anchors: report.anchors }),
      });
    } else if (fault === null) {
      context.print(
        `${records} ${nounFor(records, 'record')}, the chain is whole.`,
        `head ${headHash}`,
      );
      if (report.anchors) {
        const heads = counted(report.anchors.count, 'head');
        context.print(`It holds all of ${heads} in the log.`);
      }
    }

    const refuse = (message: string, hint?: string) =>
      new HkctlError('state_forbids', message, { hint });
    if (broken) {
      const fittingText =
        records === 1 ? 'The record before it fits' : `The ${records} records before it fit`;
      const hint = `${fittingText}. Compare with an export or a backup from before.`;
      throw refuse(`The audit trail is broken at record ${broken.seq}: ${broken.reason}.`, hint);
    }
    if (fault) {
      throw refuse(
        `The audit trail is not the one of the log from record ${fault.seq} on: ${fault.reason}.`,
        'The end was cut off, the chain was written anew, or an older store was put back: a record store.restore says when.',
      );
    }
    if (knownHeadFound === false)
      throw refuse('The chain does not hold the given head: it was written anew or cut off.');
  },
});

function parseHash(typedHash: string): string {
  if (/^[0-9a-f]{64}$/.test(typedHash)) return typedHash;
  throw new HkctlError('usage', 'A head hash has 64 hexadecimal digits.');
}

/**
 * Reads the heads of the audit chain from a log of the daemon (`-` = standard input). `bad_input` if it cannot be read, or
 * names no head: a file given by mistake must not pass for one that the chain holds.
 */
async function readAnchors(io: Pick<Io, 'stdin'>, anchorsFile: string): Promise<Anchors> {
  const anchors = new Anchors();
  const isInput = anchorsFile === '-';
  const inputName = isInput ? 'Standard input' : anchorsFile;
  const logStream = isInput ? io.stdin : streamNamedFile(anchorsFile, 'a log').stream;
  for await (const line of linesOf(logStream, inputName)) {
    const anchor = anchorIn(line);
    if (anchor) anchors.add(anchor);
  }
  if (anchors.count > 0) return anchors;
  throw new HkctlError('bad_input', `${inputName} names no head of an audit chain.`, {
    hint: 'Give the log of hkctl serve, which names the head at the level info when it starts and whenever it changed.',
  });
}

/** Collectors split lines that are much shorter. */
const longestLine = 1024 * 1024;

/** The lines of a log. Throws `bad_input` for a longer one: a device may have no end. */
async function* linesOf(
  chunks: AsyncIterable<Buffer | string>,
  inputName: string,
): AsyncGenerator<string> {
  let partialLine = '';
  for await (const chunk of chunks) {
    const lines = `${partialLine}${chunk}`.split('\n');
    partialLine = lines.pop() ?? '';
    yield* lines;
    if (partialLine.length > longestLine)
      throw new HkctlError('bad_input', `${inputName} is no log: it has a line of over a MiB.`);
  }
  yield partialLine;
}
