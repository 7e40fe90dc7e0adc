import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { acceptClock, sampleClock, storeClock } from '../../core/domain/steady-clock.ts';
import { errorTable } from '../../core/errors.ts';
import { diagnose } from '../../core/operations/doctor.ts';
import type { Check } from '../../core/operations/inspection.ts';
import { counted } from '../../core/text/words.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { toggle } from '../command/flags.ts';
import { requireConfirmation } from '../questions/values.ts';
import { canAsk, isClosedPipe } from '../terminal/io.ts';
import { createStepLine } from '../terminal/progress.ts';
import { wrapLabelled } from '../terminal/wrap.ts';
import { answersAt } from './serve/probe.ts';

export default defineCommand({
  description:
    'For a Super user, also while the daemon serves. Changes nothing but with --accept-clock, which only the first organization may give. Exit code 0 if there is no problem, 5 if a person must decide, 6 if the store cannot be trusted.',
  fields: ['checks', 'ok'],
  flags: {
    acceptClock: toggle(
      '--accept-clock',
      "take the machine's clock for right, though it is behind a time seen before",
    ),
    quick: toggle('--quick', 'leave out what takes longer on a larger store'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl doctor', 'everything, with what to do'],
    ['hkctl doctor --quick', 'within a second, on a store of any size'],
    ['hkctl doctor --json', 'for a program'],
    ['hkctl doctor --accept-clock --yes', 'after the clock had jumped ahead'],
  ],
  needs: ({ acceptClock }) =>
    acceptClock ? ['store.accept_clock', 'clock'] : ['store.doctor', 'store'],
  async run(context, { acceptClock: acceptsClock, quick: isQuick }, _args, { domain, actor }) {
    if (acceptsClock) await acceptMachineClock(context, domain, actor);
    const engine = await context.services.engine(context.storePath);
    const inspection = await engine.inspect();
    const checks: Check[] = [];

    let isOutputOpen = true;
    // The exit code reports every check, even if the reader closes the pipe early.
    const whileOpen = (write: () => void) => {
      if (!isOutputOpen) return;
      try {
        write();
      } catch (thrown) {
        if (!isClosedPipe(thrown)) throw thrown;
        isOutputOpen = false;
      }
    };

    const stepLine = createStepLine(context);
    const options = {
      isQuick,
      begin: (checkName: string) => stepLine.show(`Checking ${checkName}`),
      inspection,
      machineMs: storeClock(domain.store, context.io.clock)(),
      answers: answersAt,
    };
    for await (const check of diagnose(domain, actor, options)) {
      checks.push(check);
      stepLine.end();
      if (context.json) continue;
      const print = check.status === 'ok' ? context.confirm : context.print;
      whileOpen(() => print(...linesOf(check, context)));
    }

    const problems = checks.filter(({ status }) => status === 'problem');
    const warningCount = checks.filter(({ status }) => status === 'warning').length;
    whileOpen(() => {
      if (context.json) {
        const shownChecks = checks.map((check) => checkJson(check, context));
        context.printJson({ checks: shownChecks, ok: problems.length === 0 });
      } else if (problems.length + warningCount === 0) {
        context.confirm('', isQuick ? 'All that was checked is well.' : 'All is well.');
      } else {
        const problemsText = counted(problems.length, 'problem');
        context.print('', `${problemsText}, ${counted(warningCount, 'warning')}.`);
      }
    });
    const exitCodes = problems.map(({ code = 'state_forbids' }) => errorTable[code].exit);
    return Math.max(0, ...exitCodes);
  },
});

async function acceptMachineClock(context: Context, domain: Domain, actor: Actor): Promise<void> {
  const { io } = context;
  const sample = sampleClock(storeClock(domain.store, io.clock), io.uptime);
  const { nowMs } = sample;
  const machineTime = formatInstantMs(nowMs);
  const { seenMs } = await domain.store.clock.read();
  const isBehind = seenMs > nowMs;
  if (isBehind || !canAsk(io)) {
    const seenTime = formatInstantMs(seenMs);
    const question = `The machine's clock shows ${machineTime}, and ${seenTime} was steadily seen before. Is the machine's clock right? Keys that expired in between open again.`;
    await requireConfirmation(context, question, 'Accept the clock');
  }
  await acceptClock(domain, actor, sample);
  context.say(
    isBehind
      ? `Accepted: ${machineTime} is the time.`
      : 'The clock is not behind; there was nothing to accept.',
  );
}

const marks = {
  ok: { sign: '✓', colour: 'green' },
  warning: { sign: '!', colour: 'yellow' },
  problem: { sign: '✗', colour: 'red' },
} as const;

const statusWidth = 'problem'.length;
const nameWidth = 'revocations'.length;

/** Readable without colours: a sign, a word, the name and the finding; below it the hint. */
function linesOf(check: Check, { style, io, naming }: Context): string[] {
  const { name, status, detail } = check;
  const columns = io.stdout.columns();
  const { sign, colour } = marks[status];
  const mark = style[colour](`${sign} ${status.padEnd(statusWidth)}`);
  const indent = ' '.repeat(statusWidth + nameWidth + 6);
  const lines = wrapLabelled(`${mark}  ${name.padEnd(nameWidth)}  `, detail, columns);
  if (check.hint === undefined) return lines;

  const hint = naming(check.hint);
  // A command stays in one piece, to be copied.
  const isTooLong = columns !== undefined && indent.length + hint.length > columns;
  if (hint.startsWith('Run: ') && isTooLong) return [...lines, `  ${hint}`];
  return [...lines, ...wrapLabelled(indent, hint, columns)];
}

function checkJson({ name, status, detail, hint }: Check, { naming }: Context) {
  return { name, status, detail, ...(hint !== undefined && { hint: naming(hint) }) };
}
