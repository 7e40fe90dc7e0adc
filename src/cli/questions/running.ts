import { requirePermissions } from '../../core/domain/actors.ts';
import type { CommandDefinition } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { entityHint } from './choices.ts';
import { missingError, missingOf, requireGiven } from './values.ts';

/** Runs a command once its actor is permitted what it needs and nothing is missing that it cannot ask for; returns its exit code. */
export async function runCommand(
  context: Context,
  definition: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<number> {
  requireArguments(context, definition, flags, args);
  const needs = await definition.needs?.(flags, args, context);
  const session = needs && (await context.session());
  const permitted = session && { ...session, actor: await requirePermissions(session.domain, session.actor, ...needs) };
  await requireValues(context, definition, flags, args);
  // A command that declares no needs is not typed to be given a session.
  return (await definition.run(context, flags, args, permitted as NonNullable<typeof permitted>)) ?? 0;
}

/** Refuses a line that ends before the arguments of its command; names all of them, and every missing flag if nothing can be asked. */
function requireArguments(
  { canAsk }: Context,
  definition: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): void {
  const names = definition.arguments
    .filter(({ spelling }, i) => spelling.startsWith('<') && i >= args.length)
    .map(({ spelling }) => spelling.replace(/^<(\w+).*$/, '$1'));
  if (names.length === 0) return;
  const missing = [...names, ...(canAsk ? [] : missingOf(valuesOf(definition, flags, args)))];
  throw missingError(missing, 'Add --help to see its flags.');
}

async function requireValues(
  context: Context,
  definition: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Promise<void> {
  // A confirmation alone is asked for when it is clear what is done.
  if (missingOf(definition.required?.(flags, args) ?? {}).length === 0) return;
  const values = valuesOf(definition, flags, args);
  const needsCode = !context.canAsk && missingOf(values).includes('--entity');
  requireGiven(context, values, needsCode ? await entityHint(context) : undefined);
}

/** What must be given if nothing can be asked, by the names of flags and arguments. */
function valuesOf(
  { required, confirms }: CommandDefinition,
  flags: Readonly<Record<string, unknown>>,
  args: readonly string[],
): Readonly<Record<string, unknown>> {
  return { ...required?.(flags, args), ...(confirms && { '--yes': flags.yes || undefined }) };
}
