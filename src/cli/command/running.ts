import type { AuditAction } from '../../core/access/roles.ts';
import { type Permitted, requirePermissions } from '../../core/domain/actors.ts';
import { HkctlError, isHkctlError } from '../../core/errors.ts';
import type { ArgumentDefinition, CommandDefinition, CommandSession } from './command.ts';
import type { Context } from './context.ts';
import { requireNotBlank } from './flags.ts';
import { activeEntities, missingError, missingOf, oneOfCodes, requireGiven } from './missing.ts';
import type { StoreSession } from './store-access.ts';

/**
 * Runs a command once its actor has the permissions and no value is missing that cannot be asked for; returns its exit code. If
 * arguments are missing, the error names all of them and, if nothing can be asked, every missing flag.
 */
export async function runCommand(
  context: Context,
  definition: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<number> {
  const { arguments: declaredArguments, required, confirms, run } = definition;
  const requiredValues = required?.(flags, args) ?? {};
  /** The values that must be given if nothing can be asked, by the names of flags and arguments. */
  const unaskedValues = {
    ...requiredValues,
    ...(confirms && { '--yes': flags.yes || undefined }),
  };

  const absentArguments = declaredArguments.slice(args.length);
  const missingArguments = absentArguments
    .filter(({ spelling }) => spelling.startsWith('<'))
    .map(argumentName);
  if (missingArguments.length > 0) {
    const missingFlags = context.canAsk ? [] : missingOf(unaskedValues);
    const missingNames = [...missingArguments, ...missingFlags];
    throw missingError(missingNames, 'Add --help to see its flags.');
  }
  requireWords(declaredArguments, args);

  const session = await permittedSession(context, definition, flags, args);

  // The command itself asks for a confirmation, once it knows the consequences.
  if (missingOf(requiredValues).length > 0) {
    const needsCode = !context.canAsk && missingOf(unaskedValues).includes('--entity');
    const hint = needsCode && session ? oneOfCodes(await activeEntities(session)) : undefined;
    requireGiven(context, unaskedValues, hint);
  }

  const exitCode = await run(context, flags, args, session);
  return exitCode ?? 0;
}

/** Opens the store for an actor who holds what the command needs; undefined if it needs no store. */
async function permittedSession(
  context: Context,
  { needs, worksWithoutStore }: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<CommandSession | undefined> {
  const requirement = await needs?.(flags, args, context);
  if (requirement === undefined) return undefined;

  let session: StoreSession;
  try {
    session = await context.session();
  } catch (thrown) {
    const isAbsent = isHkctlError(thrown) && thrown.code === 'store_absent';
    if (isAbsent && worksWithoutStore?.(flags)) return undefined;
    throw thrown;
  }

  const { domain } = session;
  const [actions, target] = requirement;
  let { actor } = session;
  for (const action of [actions].flat()) {
    actor = await requirePermissions(domain, actor, action, target);
  }
  return { domain, actor: actor as Permitted<AuditAction> }; // the loop has asked for every action
}

/** Refuses an empty argument, unless it has a meaning: `usage`. */
function requireWords(
  declaredArguments: readonly ArgumentDefinition[],
  args: readonly string[],
): void {
  for (const [index, word] of args.entries()) {
    const argument = declaredArguments[index] ?? declaredArguments.at(-1);
    if (!argument?.mayBeBlank) requireNotBlank(argumentName(argument), word);
    if (argument?.isFile) requireNoVerb(word);
  }
}

/** Words that other programs have as subcommands, such as of a backup. */
const verbs =
  /^(?:add|check|clean|create|delete|help|info|init|list|ls|new|now|prune|remove|restore|rm|run|schedule|show|start|status|stop|test|verify|backup)$/i;

/** Refuses a file that is named like a subcommand: `usage`. Such a word would else make a file, or be looked for. */
function requireNoVerb(word: string): void {
  if (!verbs.test(word)) return;
  throw new HkctlError('usage', `There is no subcommand ${word}.`, {
    hint: `Write ./${word} to mean a file.`,
  });
}

/** The name of an argument as sentences have it: `<REF...>` is REF. */
function argumentName(argument: ArgumentDefinition | undefined): string {
  const [name = 'argument'] = /\w+/.exec(argument?.spelling ?? '') ?? [];
  return name;
}
