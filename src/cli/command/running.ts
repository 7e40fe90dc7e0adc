import { requirePermissions } from '../../core/domain/actors.ts';
import type { ArgumentDefinition, CommandDefinition } from './command.ts';
import type { Context } from './context.ts';
import { requireNotBlank } from './flags.ts';
import { missingError, missingOf, requireGiven } from './missing.ts';
import { entityHint } from './sites.ts';

/**
 * Runs a command once its actor is permitted what it needs and nothing is missing that it cannot ask for; returns its exit code. A
 * line that ends before the arguments is refused at once, with all of them and, if nothing can be asked, every missing flag.
 */
export async function runCommand(
  context: Context,
  { arguments: declared, required, confirms, needs, run }: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<number> {
  const values = required?.(flags, args) ?? {};
  /** What must be given if nothing can be asked, by the names of flags and arguments. */
  const unasked = { ...values, ...(confirms && { '--yes': flags.yes || undefined }) };
  const words = declared
    .filter(({ spelling }, i) => spelling.startsWith('<') && i >= args.length)
    .map(argumentName);
  if (words.length > 0) {
    const missing = [...words, ...(context.canAsk ? [] : missingOf(unasked))];
    throw missingError(missing, 'Add --help to see its flags.');
  }
  requireWords(declared, args);
  const needed = await needs?.(flags, args, context);
  const session = needed && (await context.session());
  const permitted = session && {
    ...session,
    actor: await requirePermissions(session.domain, session.actor, ...needed),
  };
  // A confirmation alone is asked for when it is clear what is done.
  if (missingOf(values).length > 0) {
    const needsCode = !context.canAsk && missingOf(unasked).includes('--entity');
    requireGiven(context, unasked, needsCode ? await entityHint(context) : undefined);
  }
  return (await run(context, flags, args, permitted)) ?? 0;
}

/** Refuses an empty argument, unless it has a meaning: `usage`. */
function requireWords(declared: readonly ArgumentDefinition[], args: readonly string[]): void {
  for (const [place, word] of args.entries()) {
    const argument = declared[place] ?? declared.at(-1);
    if (!argument?.mayBeBlank) requireNotBlank(argumentName(argument), word);
  }
}

/** The name of an argument as sentences have it: `<REF...>` is REF. */
function argumentName(argument: ArgumentDefinition | undefined): string {
  return /\w+/.exec(argument?.spelling ?? '')?.[0] ?? 'argument';
}
